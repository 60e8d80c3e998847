import BullaCipher
import BullaMemory
import Testing

@Suite struct `A sealed frame` {
    private static let sealing = [Suite.aes256GCM, .aes256CTRHMACSHA256]

    @Test(arguments: Suite.allCases, [16, 17, 31, 32, 33, 1000, 65_536])
    func `opens in its place`(suite: Suite, byteCount: Int) throws {
        let fixture = try FrameFixture(suite, contentByteCount: byteCount)
        let (frame, tag) = try fixture.seal()
        #expect(
            fixture.outcome(of: frame)
                == PageOutcome(error: nil, content: fixture.content.array))
        #expect(FrameCipher.tag(of: frame.view) == tag)
    }

    @Test(arguments: Suite.allCases)
    func `is sealed where its content lies, too`(suite: Suite) throws {
        let fixture = try FrameFixture(suite, contentByteCount: 100)
        let frame = Bytes(count: 100 + FrameField.extraByteCount)
        let room = frame.mutableView.slice(FrameField.ciphertext.offset, 100)
        room.copy(fixture.content.view, to: 0)
        _ = try fixture.cipher.seal(room.view, context: fixture.context, into: frame.mutableView)
        #expect(fixture.outcome(of: frame).content == fixture.content.array)
    }

    @Test(arguments: Suite.allCases)
    func `does not open when any of its bits was flipped`(suite: Suite) throws {
        let fixture = try FrameFixture(suite)
        let frame = try fixture.seal().frame
        for bit in 0..<frame.count * 8 {
            frame[bit / 8] ^= 1 << (bit % 8)
            #expect(fixture.outcome(of: frame).isRefused(as: .badTag), "bit \(bit)")
            frame[bit / 8] ^= 1 << (bit % 8)
        }
        #expect(fixture.outcome(of: frame).error == nil)
    }

    @Test(arguments: Suite.allCases)
    func `does not open where any bit of its context differs`(suite: Suite) throws {
        for bit in 0..<64 {
            try expectRefusal(suite) { $0.context.sequence ^= 1 << bit }
            try expectRefusal(suite) { $0.context.offset ^= 1 << bit }
        }
        for bit in 0..<8 { try expectRefusal(suite) { $0.context.kind ^= 1 << bit } }
        for bit in 0..<128 {
            try expectRefusal(suite) { fixture in
                let tag = Bytes(pattern(16, from: 40))
                tag[bit / 8] ^= 1 << (bit % 8)
                fixture.context.previous = FrameTag(tag.view)
            }
        }
    }

    @Test(arguments: Suite.allCases)
    func `does not open in another file, format or segment`(suite: Suite) throws {
        let frame = try FrameFixture(suite).seal().frame
        for byte in 0..<16 {
            var identifier = pattern(16)
            identifier[byte] ^= 1
            let other = try FrameFixture(suite, file: FileIdentifier(Bytes(identifier).view))
            #expect(other.outcome(of: frame).isRefused(as: .badTag))
        }
        for version: UInt16 in [0, 2, 257] {
            let other = try FrameFixture(suite, formatVersion: version)
            #expect(other.outcome(of: frame).isRefused(as: .badTag))
        }
        let other = try FrameFixture(
            suite, key: pattern(96, from: 1), segment: pattern(32, from: 1))
        #expect(other.outcome(of: frame).isRefused(as: .badTag))
    }

    @Test(arguments: sealing)
    func `does not open under keys of which one differs`(suite: Suite) throws {
        let frame = try FrameFixture(suite).seal().frame
        // GCM does not use the second key.
        for part in suite == .aes256GCM ? [0, 2] : [0, 1, 2] {
            var key = pattern(96)
            key[part * 32] ^= 1
            let outcome = try FrameFixture(suite, key: key).outcome(of: frame)
            // Where HMAC authenticates the frame, a wrong key for the encryption alone goes
            // unnoticed.
            if part == 0 && suite == .aes256CTRHMACSHA256 {
                #expect(outcome.error == nil && outcome.content != pattern(32, from: 5))
            } else {
                #expect(outcome.isRefused(as: .badTag))
            }
        }
    }

    @Test(arguments: Suite.allCases, Suite.allCases)
    func `does not open with another suite`(suite: Suite, opener: Suite) throws {
        guard suite != opener else { return }
        let frame = try FrameFixture(suite).seal().frame
        #expect(try FrameFixture(opener).outcome(of: frame).isRefused(as: .badTag))
    }

    @Test(arguments: Suite.allCases)
    func `does not open when it was cut or is followed by more`(suite: Suite) throws {
        let fixture = try FrameFixture(suite)
        let frame = try fixture.seal().frame
        for count in FrameField.extraByteCount + 16..<frame.count {
            let cut = Bytes(Array(frame.array.prefix(count)))
            #expect(fixture.outcome(of: cut).isRefused(as: .badTag))
        }
        #expect(fixture.outcome(of: Bytes(frame.array + [0])).isRefused(as: .badTag))
    }

    @Test(arguments: Suite.allCases)
    func `has a count of content that its cipher takes, or is refused`(suite: Suite) throws {
        let fixture = try FrameFixture(suite, contentByteCount: 15)
        #expect(throws: CipherError(.badArgument)) { _ = try fixture.seal() }
        #expect(
            fixture.outcome(of: Bytes(count: 15 + FrameField.extraByteCount)).error
                == .badArgument)
    }

    @Test(arguments: sealing)
    func `shows nothing of its head, and another nonce each time`(suite: Suite) throws {
        let fixture = try FrameFixture(suite)
        var seen: [Set<[UInt8]>] = [[], [], []]
        for _ in 0..<2000 {
            let frame = try fixture.seal().frame.array
            seen[0].insert(Array(frame[..<4]))
            seen[1].insert(Array(frame[8..<16]))
            seen[2].insert(Array(frame[16..<28]))
        }
        // Four bytes can coincide: in one of about two thousand runs, one pair among the 2000 does.
        #expect(seen[0].count >= 1998)
        #expect(seen[1].count == 2000 && seen[2].count == 2000)
    }

    @Test(arguments: sealing)
    func `is the last when its key has sealed as much as it may`(suite: Suite) throws {
        let fixture = try FrameFixture(suite, sealLimit: 3)
        var frames: [Bytes] = []
        for _ in 0..<3 {
            #expect(!fixture.cipher.isExhausted)
            frames.append(try fixture.seal().frame)
        }
        #expect(fixture.cipher.isExhausted)
        let frame = Bytes(count: fixture.content.count + FrameField.extraByteCount, filledWith: 7)
        for _ in 0..<2 {
            #expect(throws: CipherError(.exhausted)) {
                _ = try fixture.cipher.seal(
                    fixture.content.view, context: fixture.context, into: frame.mutableView)
            }
        }
        #expect(frame.array.allSatisfy { $0 == 0 })
        // The cipher still opens what it has sealed.
        for frame in frames { #expect(fixture.outcome(of: frame).error == nil) }
    }

    /// Seals a frame, and opens it in a context changed by `change`.
    private func expectRefusal(_ suite: Suite, _ change: (inout FrameFixture) -> Void) throws {
        var fixture = try FrameFixture(suite)
        let frame = try fixture.seal().frame
        change(&fixture)
        #expect(fixture.outcome(of: frame).isRefused(as: .badTag))
    }
}

@Suite struct `The keys of a segment` {
    @Test func `are others for each file, history, suite and segment`() throws {
        let master = try MasterSecret(known: pattern(64), of: .known())
        let other = try MasterSecret(known: pattern(64), of: .known(1))
        let (history, segment) = (pattern(16), pattern(32))
        var keys = [
            try master.segmentKey(suite: .aes256GCM, history: history, segment: segment).revealed(),
            try other.segmentKey(suite: .aes256GCM, history: history, segment: segment).revealed(),
            try master.segmentKey(
                suite: .aes256CTRHMACSHA256, history: history, segment: segment
            ).revealed(),
        ]
        for byte in 0..<16 {
            var history = history
            history[byte] ^= 1
            keys.append(
                try master.segmentKey(
                    suite: .aes256GCM, history: history, segment: segment
                ).revealed())
        }
        for byte in 0..<32 {
            var segment = segment
            segment[byte] ^= 1
            keys.append(
                try master.segmentKey(
                    suite: .aes256GCM, history: history, segment: segment
                ).revealed())
        }
        let parts = keys.flatMap { key in (0..<3).map { Array(key[$0 * 32..<$0 * 32 + 32]) } }
        #expect(Set(parts).count == parts.count)
    }

    @Test func `come of no secret that was wiped`() throws {
        let master = try MasterSecret(known: pattern(64), of: .known())
        master.wipe()
        #expect(throws: CipherError(.memory)) {
            _ = try master.segmentKey(
                suite: .aes256GCM, history: pattern(16), segment: pattern(32))
        }
        #expect(throws: CipherError(.memory)) {
            _ = try master.segmentHeaderKey(suite: .aes256GCM, history: pattern(16))
        }
    }

    @Test(arguments: [0, 32, 64, 95, 97])
    func `have 96 bytes`(byteCount: Int) throws {
        let key = try SecretBytes(byteCount: max(byteCount, 1))
        #expect(throws: CipherError(.badArgument)) {
            _ = try FrameCipher(
                suite: .aes256GCM, key: key, fileIdentifier: .known(), formatVersion: 1)
        }
    }
}
