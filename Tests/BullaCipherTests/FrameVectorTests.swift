import BullaCipher
import BullaMemory
import CBullaCipher
import Testing

@Suite struct `A frame of another implementation` {
    @Test func `opens under keys of the master secret, and a changed one does not`() throws {
        for vector in try VectorFile("log-frames").vectors {
            let frame = Bytes(try vector.bytes("frame"))
            let cipher = try self.cipher(for: vector)
            let context = try self.context(of: vector)
            let head = try cipher.head(of: frame.view)
            #expect(head.byteCount == frame.count && head.kind == context.kind)
            #expect(head.reserved == 0 && head.repeated == context.previous.repeated)
            let outcome = cipher.outcome(of: frame, context: context)
            #expect(outcome == PageOutcome(error: nil, content: try vector.bytes("content")))
            frame[frame.count / 2] ^= 1
            #expect(cipher.outcome(of: frame, context: context).isRefused(as: .badTag))
        }
    }

    @Test func `has the keys that we derive`() throws {
        for vector in try VectorFile("log-frames").vectors {
            let master = try self.master(of: vector)
            let suite = try #require(Suite(rawValue: try vector.number("suite")))
            let history = try vector.bytes("history")
            let key = try master.segmentKey(
                suite: suite, history: history, segment: try vector.bytes("segment"))
            #expect(key.revealed() == (try vector.bytes("key")))
            let headerKey = try master.segmentHeaderKey(suite: suite, history: history)
            #expect(headerKey.revealed() == (try vector.bytes("headerKey")))
        }
    }

    @Test func `made of our nonce and one-shot GCM is our frame, bit for bit`() throws {
        for byteCount in [16, 31, 100, 1000] {
            let fixture = try FrameFixture(.aes256GCM, contentByteCount: byteCount)
            let frame = try fixture.seal().frame.array
            let (status, sealed) = Primitives.gcmSeal(
                key: Array(pattern(96).prefix(32)), nonce: nonce(of: frame),
                context: context(fixture.context, suite: .aes256GCM, frame.count),
                plaintext: fixture.content.array)
            #expect(status == BULLA_CIPHER_OK)
            #expect(sealed == Array(frame[28...]))
            #expect(try masked(fixture.context, sample: sealed, frame.count) == frame.prefix(16))
        }
    }

    @Test func `made of our nonce, one-shot CTR and HMAC is our frame, bit for bit`() throws {
        for byteCount in [16, 31, 100, 1000] {
            let fixture = try FrameFixture(.aes256CTRHMACSHA256, contentByteCount: byteCount)
            let frame = try fixture.seal().frame.array
            let nonce = nonce(of: frame)
            let (_, ciphertext) = Primitives.ctrApply(
                key: Array(pattern(96).prefix(32)), counter: nonce + [0, 0, 0, 0],
                input: fixture.content.array)
            #expect(ciphertext == Array(frame[28...].dropLast(16)))
            let parts = [
                Bytes(context(fixture.context, suite: .aes256CTRHMACSHA256, frame.count)),
                Bytes(nonce), Bytes(ciphertext),
            ]
            let digest = try HMAC(key: Bytes(Array(pattern(96)[32..<64])).view).digest(
                of: parts.map(\.view))
            #expect(Array(digest.bytes.prefix(16)) == frame.suffix(16))
            #expect(
                try masked(fixture.context, sample: ciphertext, frame.count) == frame.prefix(16))
        }
    }

    private func cipher(for vector: Vector) throws -> FrameCipher {
        let suite = try #require(Suite(rawValue: try vector.number("suite")))
        let file = FileIdentifier(Bytes(try vector.bytes("file")).view)
        let version: UInt16 = try vector.number("formatVersion")
        let segment = try vector.bytes("segment")
        guard suite != .plain else {
            return try FrameCipher(
                plain: Bytes(segment).view, fileIdentifier: file, formatVersion: version)
        }
        let key = try master(of: vector).segmentKey(
            suite: suite, history: try vector.bytes("history"), segment: segment)
        return try FrameCipher(
            suite: suite, key: key, fileIdentifier: file, formatVersion: version)
    }

    private func master(of vector: Vector) throws -> MasterSecret {
        try MasterSecret(
            known: try vector.bytes("master"),
            of: FileIdentifier(Bytes(try vector.bytes("file")).view))
    }

    private func context(of vector: Vector) throws -> FrameContext {
        FrameContext(
            sequence: try vector.number("sequence"), offset: try vector.number("offset"),
            previous: FrameTag(Bytes(try vector.bytes("previous")).view),
            kind: try vector.number("kind"))
    }

    private func nonce(of frame: [UInt8]) -> [UInt8] { Array(frame[16..<28]) }

    /// The bytes that the documentation of ``FrameContext`` lists in a table, for the known file in
    /// format version 1.
    private func context(_ context: FrameContext, suite: Suite, _ byteCount: Int) -> [UInt8] {
        let bytes = Bytes(count: 56)
        FileIdentifier.known().store(in: bytes.mutableView, at: 0)
        context.previous.store(in: bytes.mutableView, at: 16)
        bytes.mutableView.store(context.sequence, at: 32)
        bytes.mutableView.store(context.offset, at: 40)
        bytes.mutableView.store(UInt32(byteCount), at: 48)
        bytes.mutableView.store(UInt16(1), at: 52)
        bytes.mutableView.store(context.kind, at: 54)
        bytes.mutableView.store(suite.rawValue, at: 55)
        return bytes.array
    }

    /// The masked head of a frame.
    ///
    /// The mask is the sample's first block, encrypted with AES. Counter mode applies this mask if
    /// its counter is that block.
    private func masked(
        _ context: FrameContext, sample: [UInt8], _ byteCount: Int
    ) throws -> ArraySlice<UInt8> {
        let head = Bytes(count: 16)
        head.mutableView.store(UInt32(byteCount), at: 0)
        head.mutableView.store(context.kind, at: 4)
        head.mutableView.store(context.previous.repeated, at: 8)
        let (status, mask) = Primitives.ctrApply(
            key: Array(pattern(96).suffix(32)), counter: Array(sample.prefix(16)),
            input: head.array)
        #expect(status == BULLA_CIPHER_OK)
        return mask[...]
    }
}
