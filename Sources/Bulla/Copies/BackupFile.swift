internal import BullaCipher
internal import BullaMemory

/// The layout of a backup: the store's sealed pages, copied as they are, and what leads to them.
///
///     byte     what
///         0    head
///      4096    the store's first 64 KiB, both meta slots naming the backed-up commit
///     69632    the pages, each preceded by its number (8 bytes); then the number 0 as the end
///
/// A backup holds no secret that the store does not hold. A restore does not trust the backup: it
/// verifies the new store, from that store's authenticated meta slot down.
enum BackupField: Int, CaseIterable {
    case magic, version, pageByteCount, since, pageCount, sinceHistory

    var byteCount: Int { self == .sinceHistory ? 16 : 8 }
    var offset: Int { Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount } }

    var meaning: String {
        switch self {
        case .magic: "the bytes 42 55 4C 4C 41 42 41 4B"
        case .version: "2"
        case .pageByteCount: "as in the store's header"
        case .since: "the commit whose backup this one adds to; 0 where it is whole"
        case .pageCount: "pages in this file"
        case .sinceHistory: "the history of that commit; zero where the backup is whole"
        }
    }

    static let byteCount = allCases.reduce(0) { $0 + $1.byteCount }
    static let magicNumber: UInt64 = 0x4B41_4241_4C4C_5542
    static let versionNumber: UInt64 = 2
    static let preambleOffset: UInt64 = 4096
    static let pagesOffset = preambleOffset + UInt64(PageFormat.preambleByteCount)
}

/// The head of a backup.
struct BackupHead {
    var pageByteCount: UInt64
    /// The commit that the backup adds to.
    var since: Since
    var pageCount: UInt64

    /// A commit of a history; commit 0 for a whole backup, which adds to nothing.
    struct Since: Hashable {
        static let nothing = Since(commit: 0, history: [UInt8](repeating: 0, count: 16))

        let commit: UInt64
        let history: [UInt8]
    }

    init(_ format: PageFormat, since: Anchor?, pageCount: UInt64) {
        pageByteCount = UInt64(format.pageByteCount)
        self.since = since.map { Since(commit: $0.commit, history: $0.history) } ?? .nothing
        self.pageCount = pageCount
    }

    /// Reads a head, and trusts nothing in it.
    init(_ bytes: ByteView, of path: String) throws(BullaError) {
        func word(_ field: BackupField) -> UInt64 { bytes.load(UInt64.self, at: field.offset) }
        guard word(.magic) == BackupField.magicNumber else {
            throw BullaError(.notAStore, "restore \(path): it does not begin as a backup does")
        }
        guard word(.version) == BackupField.versionNumber else {
            throw BullaError(
                .unsupportedFormat,
                "restore \(path): its backup version is \(word(.version)), "
                    + "but this library reads only \(BackupField.versionNumber)")
        }
        pageByteCount = word(.pageByteCount)
        since = Since(
            commit: word(.since),
            history: bytes.slice(BackupField.sinceHistory.offset, 16).copied())
        pageCount = word(.pageCount)
        guard StoreOptions.pageByteCounts.contains(Int(clamping: pageByteCount)) else {
            throw BullaError(
                .corrupted, "restore \(path): it claims pages of \(pageByteCount) bytes")
        }
    }

    func write(_ bytes: MutableByteView) {
        bytes.store(BackupField.magicNumber, at: BackupField.magic.offset)
        bytes.store(BackupField.versionNumber, at: BackupField.version.offset)
        bytes.store(pageByteCount, at: BackupField.pageByteCount.offset)
        bytes.store(since.commit, at: BackupField.since.offset)
        since.history.withView { bytes.copy($0, to: BackupField.sinceHistory.offset) }
        bytes.store(pageCount, at: BackupField.pageCount.offset)
    }
}
