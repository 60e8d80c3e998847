internal import Bulla
internal import BullaCipher
internal import BullaMemory

/// The log of a plain store, of which the input provides a part: the content of a frame with a
/// valid seal, or bytes that overwrite a frame or a header.
///
/// Any program that writes a plain log can seal it, so the reader must not trust the log.
final class LogFuzz: Sendable {
    private static let log: LogFuzz = {
        do { return try LogFuzz() } catch { preconditionFailure("a log can be made") }
    }()

    private static let half = 1 << 20
    private static let sequence: UInt64 = 4
    private static let segment: UInt64 = 8192

    private let cipher: FrameCipher
    private let seal: SegmentSeal
    private let header: SegmentHeader
    /// The bytes of the log, and the buffer that frames are opened into.
    private let bytes: ScratchBuffer
    private let room: ScratchBuffer

    private init() throws {
        let identity = LogIdentity(
            fileIdentifier: try .random(), suite: .plain, history: Identifier(high: 1, low: 2))
        header = SegmentHeader(
            random: try .drawn(), world: Identifier(high: 3, low: 4), sequence: Self.sequence,
            previous: .none, durableCommit: 1,
            durablePlace: LogPlace(sequence: Self.sequence, offset: 2))
        cipher = try identity.plainFrameCipher(of: header.random)
        seal = SegmentSeal(identity, try identity.plainHeaderCipher())
        bytes = try ScratchBuffer(byteCount: Self.half)
        room = try ScratchBuffer(byteCount: Self.half)
    }

    /// The first byte says what the rest is.
    static func run(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        do throws(BullaError) {
            switch choice % 4 {
            case 0: try log.runContent(input.rest, kind: choice / 4)
            case 1: try log.runBody(input.rest, kind: choice / 4)
            case 2: try log.runFrame(&input)
            default: try log.runHeader(&input)
            }
        } catch {
            precondition(error.code == .corrupted, "what is malformed is refused as damage")
        }
    }

    /// A frame whose content is the input, including the padding.
    private func runContent(_ content: [UInt8], kind: UInt8) throws(BullaError) {
        guard content.count >= FrameCipher.contentByteMinimum else { return }
        try read(try sealed(content, kind: kind))
    }

    /// A frame whose body is the input.
    private func runBody(_ body: [UInt8], kind: UInt8) throws(BullaError) {
        let count = BlobPadding.paddedByteCount(FrameFormat.bodyOffset + body.count)
        var content = UInt32(body.count + 16).littleEndianBytes
        content += UInt64(7).littleEndianBytes + UInt64(6).littleEndianBytes + body
        content += [UInt8](repeating: 0, count: count - content.count)
        try read(try sealed(content, kind: kind % 5))
    }

    /// A valid frame, partly overwritten.
    private func runFrame(_ input: inout FuzzInput) throws(BullaError) {
        let count = try sealed([UInt8](repeating: 0, count: 32), kind: 1)
        var frame = bytes.bytes.view.slice(0, count).copied()
        input.edit(&frame)
        frame.withView { bytes.bytes.copy($0, to: 0) }
        try read(count)
    }

    /// Both copies of a header, partly overwritten.
    private func runHeader(_ input: inout FuzzInput) throws(BullaError) {
        let count = SegmentField.byteCount
        for copy in 0..<2 {
            try seal.write(
                header, segment: Self.segment, copy: copy,
                into: bytes.bytes.slice(copy * count, count))
        }
        var copies = bytes.bytes.view.slice(0, 2 * count).copied()
        input.edit(&copies)
        copies.withView { bytes.bytes.copy($0, to: 0) }
        let view = bytes.bytes.view
        let finding = try seal.find(
            (view.slice(0, count), view.slice(count, count)), half: 0, segment: Self.segment)
        guard case .headers(let headers) = finding else { return }
        precondition(headers == [header], "what was changed is no header")
    }

    /// Seals content into a frame at the beginning of the half, and returns the frame's length.
    private func sealed(_ content: [UInt8], kind: UInt8) throws(BullaError) -> Int {
        let count = content.count + FrameField.extraByteCount
        let context = FrameContext(
            sequence: Self.sequence, offset: 0, previous: .none, kind: kind)
        do throws(CipherError) {
            _ = try content.withView { content throws(CipherError) in
                try cipher.seal(content, context: context, into: bytes.bytes.slice(0, count))
            }
        } catch { preconditionFailure("a plain frame is sealed whatever it holds") }
        return count
    }

    private func read(_ count: Int) throws(BullaError) {
        let finding = try FrameReader(cipher, sequence: Self.sequence).find(
            in: bytes.bytes.view.slice(0, count), at: 0, limit: UInt64(Self.half), after: .none
        ) { wanted throws(BullaError) in
            precondition(wanted < count, "no more is asked for than is there")
            return room.bytes.slice(0, wanted)
        }
        switch finding {
        case .absent: break
        case .cutOff(let needed): precondition(count < needed && needed <= Self.half, "bounded")
        case .whole(let frame):
            let format = PageFormat(pageByteCount: 4096)
            guard frame.kind != .root else {
                _ = try frame.root(format)
                return
            }
            try readOperations(frame, format)
        }
    }

    /// Reads all operations, and checks that each has exactly one encoding.
    private func readOperations(_ frame: LogFrame, _ format: PageFormat) throws(BullaError) {
        var (operations, offset) = (frame.operations(format), 0)
        while let operation = try operations.next() {
            let again = [UInt8](byteCount: operation.byteCount) { operation.write($0) }
            again.withView { again in
                precondition(
                    again == frame.body.slice(offset, operation.byteCount), "it comes back")
            }
            offset += operation.byteCount
        }
        precondition(offset == frame.body.byteCount, "all of it is read")
    }

    /// Operations of each kind, a record, and edits.
    static var seeds: [[UInt8]] {
        let operations: [UInt8] = [
            1, 7, 3, 5, 107, 101, 121, 118, 97, 108, 117, 101, 2, 0x80, 1, 1, 9, 3, 7, 2, 97, 98,
            4, 7, 1, 97, 5, 7, 1, 2, 97, 98, 99,
        ]
        let content: [UInt8] = [16, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 6]
        return [
            [4] + content + [UInt8](repeating: 0, count: 19), [5] + operations,
            [17] + [UInt8](repeating: 0, count: CommitField.byteCount), [2], [2, 0, 0, 3, 9],
            [2, 44, 0, 3, 1, 1], [3], [3, 40, 0, 7, 1], [3, 40, 2, 63, 1, 2, 3],
        ]
    }
}
