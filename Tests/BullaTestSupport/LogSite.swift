package import Bulla
internal import BullaCipher
internal import BullaMemory

/// A file with nothing but a log, which several processes share.
///
/// Nothing in it is ever checkpointed, so following starts at its beginning.
package struct LogSite: LogStart {
    package let path: String
    private let kind: StoreKind
    private let halves: (LogHalf, LogHalf)
    package let header: HeaderPage
    private static let format = PageFormat(pageByteCount: 4096)
    private static let history = Identifier(high: 5, low: 6)
    package static let beginning = LogPosition.beginning(after: 1)

    /// - Parameter halfPageCount: an even number; each half consists of two runs.
    package init(_ path: String, _ kind: StoreKind, halfPageCount: UInt64 = 12) throws {
        self.path = path
        self.kind = kind
        let suite: Suite =
            switch kind {
            case .gcm: .aes256GCM
            case .ctrHMAC: .aes256CTRHMACSHA256
            case .plain: .plain
            }
        let file = [UInt8](repeating: 9, count: FileIdentifier.byteCount).withView {
            FileIdentifier($0)
        }
        header = try HeaderPage(suite: suite, format: Self.format, fileIdentifier: file)
        let (first, count) = (Self.format.firstPage, halfPageCount / 2)
        let all = (0..<2).map { half in
            LogHalf(
                [
                    PageRun(start: first + half * count, count: count),
                    PageRun(start: first + (half + 2) * count, count: count),
                ], Self.format)
        }
        halves = (all[0], all[1])
    }

    /// The log through one process's open file.
    package func parts(_ storage: any StorageSystem) throws -> LogParts {
        try parts(storage, storage.open(path, .writing))
    }

    private func parts(_ storage: any StorageSystem, _ file: any StorageFile) throws -> LogParts {
        var master: MasterSecret?
        if kind != .plain {
            master = try StoreKind.keyBytes.withView { bytes throws(CipherError) in
                try bytes.withSpan { span throws(CipherError) in
                    try MasterSecret(copying: span, fileIdentifier: header.fileIdentifier)
                }
            }
        }
        return try LogParts(
            storage, file, header: header, master: master, halves: halves, history: Self.history)
    }

    /// Makes the file, with an empty log.
    package func make(_ storage: any StorageSystem) throws {
        let file = try storage.open(path, .creating)
        try [UInt8](repeating: 0, count: PageFormat.preambleByteCount).withView {
            bytes throws(BullaError) in try file.write(bytes, at: 0)
        }
        try halves.0.fill(file)
        try halves.1.fill(file)
        try parts(storage, file).makeMarks(Self.beginning)
        try file.flush()
        try storage.flushFolder(of: path)
        file.close()
    }

    package func record() throws(BullaError) -> LogPosition { Self.beginning }
    package func keyEpoch() throws(BullaError) -> UInt64 { 1 }
    package func lock() throws(BullaError) -> Bool { false }
    package func unlock() {}
    package func oldestSequence() throws(BullaError) -> UInt64? { 0 }
}
