import Bulla
import BullaCipher
import BullaMemory
import BullaSimulation
import BullaTestSupport

/// A log on a simulated disk: the places of its halves, and the keys of its store.
struct LogScene {
    static let path = "/disk/log"
    private static let format = PageFormat(pageByteCount: 4096)
    private static let file = [UInt8](repeating: 9, count: FileIdentifier.byteCount).withView {
        FileIdentifier($0)
    }

    let kind: StoreKind
    let keys: LogKeys
    let header: HeaderPage
    let hmac: HMAC
    /// Each half consists of two runs.
    let halves: [LogHalf]

    /// Holds a noncopyable secret, because a closure cannot capture such a secret directly.
    private final class Secret: Sendable {
        let master: MasterSecret

        init() throws { master = try MasterSecret.random(for: LogScene.file) }
    }

    init(_ kind: StoreKind, halfPageCount: UInt64 = 12) throws {
        self.kind = kind
        let suite: Suite =
            switch kind {
            case .gcm: .aes256GCM
            case .ctrHMAC: .aes256CTRHMACSHA256
            case .plain: .plain
            }
        let identity = LogIdentity(
            fileIdentifier: Self.file, suite: suite, history: Identifier(high: 5, low: 6))
        header = try HeaderPage(suite: suite, format: Self.format, fileIdentifier: Self.file)
        if suite == .plain {
            keys = LogKeys(try SegmentKeys(plain: identity))
            hmac = try [UInt8](repeating: 0, count: 32).withView { try HMAC(key: $0) }
        } else {
            let secret = try Secret()
            let header = try identity.headerCipher(under: secret.master)
            keys = LogKeys(
                SegmentKeys(identity, header: header) { random throws(BullaError) in
                    try identity.frameCipher(of: random, under: secret.master)
                })
            hmac = try HMAC(key: secret.master.metaKey())
        }
        let (first, count) = (Self.format.firstPage, halfPageCount / 2)
        halves = (0..<2).map { half in
            LogHalf(
                [
                    PageRun(start: first + half * count, count: count),
                    PageRun(start: first + (half + 2) * count, count: count),
                ], Self.format)
        }
    }

    func log(_ file: any StorageFile) -> LogFile { LogFile(file, halves[0], halves[1]) }

    func marks(_ file: any StorageFile) -> LogMarks {
        LogMarks(file, header: header, history: keys.identity.history) { [hmac] in [hmac] }
    }

    /// The file offset of a place in the log.
    func offset(of place: LogPlace) -> Int {
        var found: UInt64 = 0
        var rest = place.offset
        for run in halves[place.half].runs {
            let count = Self.format.offset(run.count)
            if rest < count {
                found = Self.format.offset(run.start) + rest
                break
            }
            rest -= count
        }
        return Int(found)
    }

    /// Makes a disk with an empty log.
    func make(_ storage: SimulatedProcess) throws {
        let file = try storage.open(Self.path, .creating)
        try [UInt8](repeating: 0, count: PageFormat.preambleByteCount).withView {
            bytes throws(BullaError) in try file.write(bytes, at: 0)
        }
        for half in halves { try half.fill(file) }
        let beginning = LogPosition.beginning(after: 1)
        try marks(file).make(beginning)
        for slot in 0..<2 { try MetaStandIn.write(beginning, slot, file) }
        try file.flush()
        try storage.flushFolder(of: Self.path)
        file.close()
    }
}
