import Bulla
import BullaCipher
import BullaMemory

/// A store's keys as bytes to search for: the user's, and what comes of the master secret.
enum StoreKeys {
    /// - Parameters:
    ///   - file: the store's bytes, or the first 64 KiB of them.
    ///   - userKey: 64 bytes.
    static func bytes(_ file: [UInt8], userKey: [UInt8]) throws -> [[UInt8]] {
        // SAFETY: bytes of integers may be looked at as bytes.
        let key = try UserKey(copying: unsafe userKey.span.bytes)
        return try unsafe file.span.bytes.withView { file in
            let header = try HeaderPage.read(file, of: "the store")
            let copies = [0, PageFormat.copyDistance].map {
                file.slice(PageFormat.keyringOffset + $0, Keyring.copyByteCount)
            }
            let master = try Keyring.open(
                copies: copies, userKey: key, fileIdentifier: header.fileIdentifier,
                headerDigest: header.digest
            ).takeMaster()
            let meta = file.slice(PageFormat.metaOffset, MetaField.byteCount)
            let record = CommitRecord(meta, at: MetaField.record.offset)
            let data = try master.dataKey(
                epoch: 1, suite: header.suite, history: record.keyHistory.bytes)
            let metaKey = try master.metaKey()
            return [userKey, data.withView { $0.copied() }, metaKey.withView { $0.copied() }]
        }
    }
}
