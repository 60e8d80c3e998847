extension Descriptor {
    private static let chunkByteCount = 256 << 10

    /// Reads to the end, part by part.
    func forEachChunk(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
        while case let count = try read(into: &chunk, from: 0), count > 0 {
            try body(chunk[..<count])
        }
    }

    /// Appends what comes, until the end or until there are `limit` bytes or somewhat more.
    ///
    /// - Returns: whether it came to the end.
    func read(into bytes: inout [UInt8], upTo limit: Int) throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
        while bytes.count < limit {
            let count = try read(into: &chunk, from: 0)
            guard count > 0 else { return true }
            bytes.append(contentsOf: chunk[..<count])
        }
        return false
    }
}
