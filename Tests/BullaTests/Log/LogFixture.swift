import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport

/// A log of one segment in private memory, whose keys the test knows.
///
/// It lends views of its memory, so it must outlive them.
final class LogFixture {
    static let halfByteCount = 1 << 20

    let identity: LogIdentity
    let cipher: FrameCipher
    let seal: SegmentSeal
    let header: SegmentHeader
    /// The beginning of the segment in the half.
    let segment: UInt64
    /// The whole half.
    let half: ScratchBuffer
    /// The buffer into which frames are opened.
    let room: ScratchBuffer
    /// The place of the next frame.
    private(set) var end: Int
    private(set) var previous: FrameTag
    private var builder: FrameBuilder

    init(
        _ suite: Suite, seed: UInt64 = 1, file: FileIdentifier? = nil, sequence: UInt64 = 4,
        segment: UInt64 = 8192
    ) throws {
        let file = try file ?? .random()
        var random = TestRandom(seed: seed)
        let history = Identifier(high: 11, low: 12)
        identity = LogIdentity(fileIdentifier: file, suite: suite, history: history)
        header = SegmentHeader(
            random: try .drawn(), world: Identifier(high: seed, low: 3), sequence: sequence,
            previous: try Self.tag(random.uniqueBytes(16)), durableCommit: 39,
            durablePlace: LogPlace(sequence: sequence - 1, offset: 777))
        if suite == .plain {
            cipher = try identity.plainFrameCipher(of: header.random)
            seal = SegmentSeal(identity, try identity.plainHeaderCipher())
        } else {
            let master = try MasterSecret.random(for: file)
            cipher = try identity.frameCipher(of: header.random, under: master)
            seal = SegmentSeal(identity, try identity.headerCipher(under: master))
        }
        self.segment = segment
        let half = try ScratchBuffer(byteCount: Self.halfByteCount)
        self.half = half
        room = try ScratchBuffer(byteCount: Self.halfByteCount)
        // A half can hold any bytes before it is used.
        let bytes = random.bytes(Self.halfByteCount)
        bytes.withView { half.bytes.copy($0, to: 0) }
        end = Int(segment + SegmentHeader.frameOffset)
        previous = header.previous
        builder = try FrameBuilder()
    }

    static func tag(_ bytes: [UInt8]) throws -> FrameTag { bytes.withView { FrameTag($0) } }

    var reader: FrameReader { FrameReader(cipher, sequence: header.sequence) }

    /// Writes a frame at the end, and returns its range.
    @discardableResult
    func append(
        _ operations: [LogOperation], as kind: FrameKind = .ordinary, commit: UInt64 = 40,
        durable: UInt64 = 39
    ) throws -> Range<Int> {
        for operation in operations { try builder.append(operation) }
        return try write(kind, commit, durable)
    }

    /// Writes a root frame.
    @discardableResult
    func append(_ record: CommitRecord, commit: UInt64) throws -> Range<Int> {
        try builder.append(record)
        return try write(.root, commit, commit)
    }

    private func write(
        _ kind: FrameKind, _ commit: UInt64, _ durable: UInt64
    ) throws -> Range<Int> {
        defer { builder.removeAll() }
        let range = end..<end + builder.frameByteCount
        previous = try builder.seal(
            as: kind, commit: commit, durable: durable,
            at: LogPlace(sequence: header.sequence, offset: UInt64(end)), after: previous,
            with: cipher, into: half.bytes.slice(end, range.count))
        end = range.upperBound
        return range
    }

    /// What is found at `offset` of the half.
    func find(
        at offset: Int, after previous: FrameTag, count: Int? = nil
    ) throws -> FrameFinding {
        let left = half.bytes.byteCount - offset
        return try reader.find(
            in: half.bytes.view.slice(offset, count ?? left), at: UInt64(offset),
            limit: UInt64(left), after: previous
        ) { count throws(BullaError) in room.bytes.slice(0, count) }
    }

    /// Flips a bit of the half.
    func flip(_ bit: Int, of offset: Int) {
        let place = offset + bit / 8
        half.bytes.store(half.bytes.view.load(UInt8.self, at: place) ^ 1 << (bit % 8), at: place)
    }

    /// Every kind of operation, with bytes that live as long as the process.
    static var operations: [LogOperation] {
        func view(_ text: StaticString) -> ByteView { text.lasting }
        return [
            .createTree(7, name: view("pets")),
            .put(tree: 7, key: view("key"), value: view("a value of some length")),
            .put(tree: 7, key: view("other key"), value: view("")),
            .delete(tree: 300, key: view("key")),
            .renameTree(7, name: view("pets"), newName: view("animals")),
            .dropTree(1 << 40, name: view("gone")),
        ]
    }
}

extension FrameFinding {
    /// The frame, if there is a whole one.
    var frame: LogFrame? { if case .whole(let frame) = self { frame } else { nil } }

    /// Why there is no frame, if there is none.
    var absence: FrameAbsence? { if case .absent(let reason) = self { reason } else { nil } }

    /// How many more bytes are needed, if any.
    var needed: Int? { if case .cutOff(let count) = self { count } else { nil } }
}

extension LogFrame {
    func allOperations(keyByteLimit: Int = 1024) throws -> [LogOperation] {
        var reader = LogOperations(body, keyByteLimit: keyByteLimit, commit: commit)
        return try reader.all()
    }
}

extension LogOperations {
    mutating func all() throws -> [LogOperation] {
        var all: [LogOperation] = []
        while let operation = try next() { all.append(operation) }
        return all
    }
}
