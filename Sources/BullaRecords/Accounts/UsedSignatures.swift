internal import Bulla
internal import BullaCipher
internal import BullaMemory

/// The server signatures that were used for writes; no process accepts one of them again, even
/// after a restart.
///
///     key     row
///     digest  when the signature expires, milliseconds since 1970
package struct UsedSignatures: Sendable {
    private let rows: PlaceRows

    init(_ store: Store) { rows = PlaceRows(store, "signatures") }

    /// Records the use of a valid signature.
    ///
    /// - Parameters:
    ///   - first: the first of the signature's two numbers.
    ///   - end: when the signature expires, in milliseconds since 1970.
    /// - Returns: `false` if the signature was used before.
    /// - Complexity: one durable commit.
    package func take(
        _ first: [UInt8], by keyID: String, until end: Int64
    ) throws(RecordError) -> Bool {
        try RecordError.attempt("record the use of a signature") {
            var tuple = ByteTuple("bulla records signature v1")
            tuple.append(keyID)
            tuple.append(first)
            let digest = try tuple.bytes.withView { tuple throws(CipherError) in
                try KeyDerivation.sha256(tuple)
            }
            var row: [UInt8] = []
            row.append(number: end)
            return try rows.insert(row, digest.bytes)
        }
    }

    /// Deletes the signatures that have expired.
    ///
    /// - Returns: how many were deleted.
    @discardableResult
    package func forget(endedBefore now: Int64) throws(RecordError) -> Int {
        try RecordError.attempt("forget signatures") {
            let ended = try rows.rows().filter { try Self.end($0.row) < now }
            return try rows.delete(ended.map(\.key))
        }
    }

    private static func end(_ row: [UInt8]) throws(RecordError) -> Int64 {
        let end = row.withView { view -> Int64? in
            var cursor = ByteCursor(view)
            guard let end = cursor.next(Int64.self), cursor.isAtEnd else { return nil }
            return end
        }
        guard let end else { throw RecordError(.damaged, "read a signature: its row is malformed") }
        return end
    }
}
