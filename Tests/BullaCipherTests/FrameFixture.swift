import BullaCipher
import BullaMemory

/// A cipher whose keys the test knows, and one frame of its segment.
struct FrameFixture {
    let cipher: FrameCipher
    var context = FrameContext(
        sequence: 6, offset: 8704, previous: .known(), kind: 1)
    let content: Bytes

    init(
        _ suite: Suite, contentByteCount: Int = 32, key: [UInt8] = pattern(96),
        segment: [UInt8] = pattern(32), file: FileIdentifier = .known(),
        formatVersion: UInt16 = 1, sealLimit: UInt64 = FrameCipher.sealLimit
    ) throws {
        content = Bytes(pattern(contentByteCount, from: 5))
        guard suite != .plain else {
            cipher = try FrameCipher(
                plain: Bytes(segment).view, fileIdentifier: file, formatVersion: formatVersion)
            return
        }
        cipher = try FrameCipher(
            suite: suite, key: try SecretBytes(known: key), fileIdentifier: file,
            formatVersion: formatVersion, sealLimit: sealLimit)
    }

    /// Seals the frame, and returns it with the tag that the next frame would name.
    func seal() throws -> (frame: Bytes, tag: FrameTag) {
        let frame = Bytes(count: content.count + FrameField.extraByteCount)
        let tag = try cipher.seal(content.view, context: context, into: frame.mutableView)
        return (frame, tag)
    }

    /// Opens a frame in the context of the fixture's frame, and returns the outcome.
    func outcome(of frame: Bytes) -> PageOutcome { cipher.outcome(of: frame, context: context) }
}

extension FrameCipher {
    /// Opens a frame, and returns the outcome, and the bytes that are in the place of the content
    /// afterwards.
    func outcome(of frame: Bytes, context: FrameContext) -> PageOutcome {
        let content = Bytes(
            count: frame.count - FrameField.extraByteCount, filledWith: 0xff)
        do throws(CipherError) {
            try open(frame.view, context: context, into: content.mutableView)
        } catch {
            return PageOutcome(error: error.code, content: content.array)
        }
        return PageOutcome(error: nil, content: content.array)
    }
}

extension FrameTag {
    static func known() -> FrameTag { FrameTag(Bytes(pattern(16, from: 40)).view) }
}
