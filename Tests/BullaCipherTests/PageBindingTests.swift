import BullaCipher
import BullaMemory
import Testing

@Suite struct `A sealed page` {
    @Test(arguments: Suite.allCases)
    func `sealed at 7 does not open at 6`(suite: Suite) throws {
        try expectRefusal(suite) { $0.pageNumber = 6 }
    }

    @Test(arguments: Suite.allCases)
    func `does not open as an older or newer version of itself`(suite: Suite) throws {
        try expectRefusal(suite) { $0.birth -= 1 }
        try expectRefusal(suite) { $0.birth += 1 }
    }

    @Test(arguments: Suite.allCases)
    func `does not open in another key epoch`(suite: Suite) throws {
        try expectRefusal(suite) { $0.epoch += 1 }
    }

    @Test(arguments: Suite.allCases)
    func `does not open as another kind of page`(suite: Suite) throws {
        try expectRefusal(suite) { $0.kind = 1 }
    }

    @Test(arguments: Suite.allCases)
    func `does not open where any bit of its context differs`(suite: Suite) throws {
        for bit in 0..<64 {
            try expectRefusal(suite) { $0.pageNumber ^= 1 << bit }
            try expectRefusal(suite) { $0.birth ^= 1 << bit }
        }
        for bit in 0..<32 { try expectRefusal(suite) { $0.epoch ^= 1 << bit } }
        for bit in 0..<8 { try expectRefusal(suite) { $0.kind ^= 1 << bit } }
    }

    @Test(arguments: Suite.allCases)
    func `does not open in another file`(suite: Suite) throws {
        let (page, check) = try PageFixture(suite, pageByteCount: 256).seal()
        for byte in 0..<16 {
            var identifier = pattern(16)
            identifier[byte] ^= 1
            let other = try PageFixture(
                suite, pageByteCount: 256, file: FileIdentifier(Bytes(identifier).view))
            #expect(
                other.cipher.outcome(of: page, context: other.context, check: check)
                    .isRefused(as: .badTag))
        }
    }

    @Test(arguments: Suite.allCases, [UInt16(0), 2, 257])
    func `does not open in another format version`(suite: Suite, version: UInt16) throws {
        let (page, check) = try PageFixture(suite).seal()
        let other = try PageFixture(suite, formatVersion: version)
        #expect(
            other.cipher.outcome(of: page, context: other.context, check: check)
                .isRefused(as: .badTag))
    }

    @Test(arguments: Suite.allCases, Suite.allCases)
    func `does not open with another suite`(suite: Suite, opener: Suite) throws {
        guard suite != opener else { return }
        let fixture = try PageFixture(suite)
        let (page, check) = try fixture.seal()
        let other = try PageFixture(opener).cipher
        #expect(
            other.outcome(of: page, context: fixture.context, check: check)
                .isRefused(as: .badTag))
    }

    @Test(arguments: [Suite.aes256GCM, .aes256CTRHMACSHA256])
    func `does not open under another key`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let (page, check) = try fixture.seal()
        let other = try PageFixture(suite, key: pattern(64, from: 1)).cipher
        #expect(
            other.outcome(of: page, context: fixture.context, check: check)
                .isRefused(as: .badTag))
    }

    @Test(arguments: Suite.allCases)
    func `is stale where its parent names another check`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let (page, check) = try fixture.seal()
        for bit in 0..<64 {
            #expect(
                fixture.cipher.outcome(
                    of: page, context: fixture.context, check: check ^ 1 << bit
                )
                .isRefused(as: .staleCheck))
        }
    }

    @Test(arguments: [Suite.aes256GCM, .aes256CTRHMACSHA256])
    func `is stale when it was sealed again, though nothing else changed`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let (old, _) = try fixture.seal()
        let (_, check) = try fixture.seal()
        #expect(
            fixture.cipher.outcome(of: old, context: fixture.context, check: check)
                .isRefused(as: .staleCheck))
    }

    @Test(arguments: Suite.allCases, [64, 256])
    func `does not open when any of its bits was flipped`(suite: Suite, pageByteCount: Int) throws {
        let fixture = try PageFixture(suite, pageByteCount: pageByteCount)
        let (page, expected) = try fixture.seal()
        for bit in 0..<pageByteCount * 8 {
            page[bit / 8] ^= 1 << (bit % 8)
            let told = fixture.cipher.outcome(
                of: page, context: fixture.context, check: expected)
            let code: CipherError.Code = check(in: page) == expected ? .badTag : .staleCheck
            #expect(told.isRefused(as: code), "bit \(bit)")
            let helped = fixture.cipher.outcome(
                of: page, context: fixture.context, check: check(in: page))
            #expect(helped.isRefused(as: .badTag), "bit \(bit), with a parent that names it")
            page[bit / 8] ^= 1 << (bit % 8)
        }
        #expect(
            fixture.cipher.outcome(of: page, context: fixture.context, check: expected).error
                == nil)
    }

    /// Seals a page, and opens it in a context changed by `change`.
    private func expectRefusal(_ suite: Suite, _ change: (inout PageContext) -> Void) throws {
        let fixture = try PageFixture(suite, pageByteCount: 256)
        let (page, check) = try fixture.seal()
        var context = fixture.context
        change(&context)
        #expect(
            fixture.cipher.outcome(of: page, context: context, check: check)
                .isRefused(as: .badTag))
    }
}
