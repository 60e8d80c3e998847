internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaTestSupport

/// The keys of one file's pages, known to the fuzzer, which forges such pages.
final class FuzzKeys: Sendable {
    static let encrypted = made(.aes256GCM)
    static let plain = made(nil)

    let header: HeaderPage
    let key: StoreKey?
    let cipher: PageCipher
    let metaAuthentication: HMAC
    /// A whole file without entries, in which all pages after the preamble belong to the log.
    let file: [UInt8]
    /// The record that is in both meta slots of the file.
    let record: CommitRecord

    /// The file's first 64 KiB.
    var preamble: ArraySlice<UInt8> { file.prefix(PageFormat.preambleByteCount) }

    private static func made(_ suite: CipherSuite?) -> FuzzKeys {
        do { return try FuzzKeys(suite) } catch {
            preconditionFailure("keys can be made: \(error)")
        }
    }

    private init(_ suite: CipherSuite?) throws {
        let user = (0..<UInt8(64)).map { $0 &* 3 }
        key = suite == nil ? nil : try StoreKey(user)
        file = try Self.makeStore(suite, key)
        let buffer = try ScratchBuffer(byteCount: PageFormat.preambleByteCount)
        for (offset, byte) in file.prefix(PageFormat.preambleByteCount).enumerated() {
            buffer.bytes.store(byte, at: offset)
        }
        let preamble = buffer.bytes.view
        header = try HeaderPage.read(preamble, of: "a fuzzed store")
        let meta = preamble.slice(PageFormat.metaOffset, MetaField.byteCount)
        if suite == nil {
            cipher = try PageCipher(
                plain: header.fileIdentifier, formatVersion: PageFormat.version,
                pageByteCount: 4096)
            metaAuthentication = try HMAC(key: SecretBytes(byteCount: 32))
            record = try Self.record(meta, header, metaAuthentication)
        } else {
            let copies = [0, PageFormat.copyDistance].map {
                preamble.slice(PageFormat.keyringOffset + $0, Keyring.copyByteCount)
            }
            let held = try user.withBytes { [header] span in
                MasterHolder(
                    try Keyring.open(
                        copies: copies, userKey: UserKey(copying: span),
                        fileIdentifier: header.fileIdentifier, headerDigest: header.digest
                    ).takeMaster())
            }
            metaAuthentication = try HMAC(key: held.master.metaKey())
            record = try Self.record(meta, header, metaAuthentication)
            cipher = try PageCipher(
                suite: header.suite,
                key: held.master.dataKey(
                    epoch: 1, suite: header.suite, history: record.keyHistory.bytes),
                fileIdentifier: header.fileIdentifier, formatVersion: PageFormat.version,
                pageByteCount: 4096)
        }
    }

    private static func makeStore(_ suite: CipherSuite?, _ key: StoreKey?) throws -> [UInt8] {
        let path = FuzzFile.path("keys")
        var options = StoreOptions()
        options.suite = suite
        options.pageByteCount = 4096
        // Make the log as short as possible, because it is copied for each input.
        options.fixLog(halfByteCount: 16 << 10)
        try Store.open(at: path, key: key, options: options).close()
        defer { FuzzFile.remove(path) }
        return FuzzFile.read(path, byteCount: PageFormat.preambleByteCount + 2 * (16 << 10))
    }

    private static func record(
        _ meta: ByteView, _ header: HeaderPage, _ hmac: HMAC
    ) throws -> CommitRecord {
        guard let record = try MetaPage.read(meta, slot: 0, header: header, hmac: hmac) else {
            throw FuzzFailure()
        }
        return record
    }

    private struct FuzzFailure: Error {}

    /// Holds a master secret, which cannot be copied.
    private final class MasterHolder {
        let master: MasterSecret
        init(_ master: consuming MasterSecret) { self.master = master }
    }
}
