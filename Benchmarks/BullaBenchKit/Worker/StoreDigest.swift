/// Looks at everything that a store holds.
enum StoreDigest {
    /// The digest of all its records, and a check that they come in ascending order.
    static func of(_ session: any EngineSession) throws -> Digest {
        var digest = Digest()
        var last: [UInt8] = []
        var isAscending = true
        try session.visitAll { key, value in
            digest.add(RecordHash.hash(key, value))
            let key = [UInt8](key)
            isAscending = isAscending && (last.isEmpty || last.lexicographicallyPrecedes(key))
            last = key
        }
        guard isAscending else { throw BenchError(.digest, "a scan gave keys out of order") }
        return digest
    }

    /// Reads every record once by scanning, so that what is measured next finds all of them at
    /// hand.
    static func warm(_ session: any EngineSession) throws {
        var tally = Tally(capacity: 0)
        try session.scan(ByteRun(), from: nil, limit: .max, &tally)
    }
}
