internal import BullaCipher
internal import BullaMemory

/// The layout of a backup: pages as they lie in the store, sealed, with what leads to them.
///
///     byte     what
///         0    head
///      4096    the store's first 64 KiB, both meta slots naming the backed-up commit
///     69632    the pages, each behind its number (8 bytes); then a number 0 as the end
///
/// Nothing here is secret that is not secret in the store, and nothing is believed: a store that is
/// restored is verified from its authenticated meta slot down.
enum BackupField: Int, CaseIterable {
    case magic, version, pageByteCount, since, pageCount

    var byteCount: Int { 8 }
    var offset: Int { rawValue * 8 }

    var meaning: String {
        switch self {
        case .magic: "the bytes 42 55 4C 4C 41 42 41 4B"
        case .version: "1"
        case .pageByteCount: "as in the store's header"
        case .since: "the commit whose backup this one adds to; 0 where it is whole"
        case .pageCount: "pages in this file"
        }
    }

    static let byteCount = allCases.count * 8
    static let magicNumber: UInt64 = 0x4B41_4241_4C4C_5542
    static let versionNumber: UInt64 = 1
    static let preambleOffset: UInt64 = 4096
    static let pagesOffset = preambleOffset + UInt64(PageFormat.preambleByteCount)
}

/// The head of a backup.
struct BackupHead {
    var pageByteCount: UInt64
    var since: UInt64
    var pageCount: UInt64

    init(_ format: PageFormat, since: UInt64, pageCount: UInt64) {
        pageByteCount = UInt64(format.pageByteCount)
        self.since = since
        self.pageCount = pageCount
    }

    /// Reads a head of which nothing is believed.
    init(_ bytes: ByteView, of path: String) throws(BullaError) {
        func word(_ field: BackupField) -> UInt64 { bytes.load(UInt64.self, at: field.offset) }
        guard word(.magic) == BackupField.magicNumber else {
            throw BullaError(.notAStore, "restore \(path): it does not begin as a backup does")
        }
        guard word(.version) == BackupField.versionNumber else {
            throw BullaError(
                .unsupportedFormat,
                "restore \(path): backup version is \(word(.version)), "
                    + "this library reads \(BackupField.versionNumber)")
        }
        pageByteCount = word(.pageByteCount)
        since = word(.since)
        pageCount = word(.pageCount)
        guard StoreOptions.pageByteCounts.contains(Int(clamping: pageByteCount)) else {
            throw BullaError(
                .corrupted, "restore \(path): page byte count is \(pageByteCount)")
        }
    }

    func write(_ bytes: MutableByteView) {
        bytes.store(BackupField.magicNumber, at: BackupField.magic.offset)
        bytes.store(BackupField.versionNumber, at: BackupField.version.offset)
        bytes.store(pageByteCount, at: BackupField.pageByteCount.offset)
        bytes.store(since, at: BackupField.since.offset)
        bytes.store(pageCount, at: BackupField.pageCount.offset)
    }
}
