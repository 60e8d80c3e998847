import BullaCipher
import BullaMemory
import Testing

/// The object that owns a key can be wiped while others still refer to that object.
@Suite struct `A key that was wiped` {
    private static let suites = [Suite.aes256GCM, .aes256CTRHMACSHA256]

    @Test(arguments: suites)
    func `seals and opens nothing any more`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let (page, check) = try fixture.seal()
        let (cipher, context) = (fixture.cipher, fixture.context)
        #expect(cipher.outcome(of: page, context: context, check: check).error == nil)
        cipher.end()
        #expect(cipher.outcome(of: page, context: context, check: check).error == .memory)
        #expect(throws: CipherError(.memory)) { _ = try fixture.seal() }
        // Ending a cipher again is harmless.
        cipher.end()
    }

    @Test(arguments: suites)
    func `seals and opens no frame any more`(suite: Suite) throws {
        let fixture = try FrameFixture(suite)
        let frame = try fixture.seal().frame
        #expect(fixture.outcome(of: frame).error == nil)
        fixture.cipher.end()
        #expect(fixture.outcome(of: frame).error == .memory)
        #expect(throws: CipherError(.memory)) { _ = try fixture.seal() }
        #expect(throws: CipherError(.memory)) { _ = try fixture.cipher.head(of: frame.view) }
        fixture.cipher.end()
    }

    @Test func `gives no digest any more`() throws {
        let hmac = try HMAC(key: try SecretBytes(known: pattern(32)))
        _ = try hmac.digest(of: [])
        hmac.end()
        #expect(throws: CipherError(.memory)) { _ = try hmac.digest(of: []) }
        hmac.end()
    }

    @Test func `is zeros, and no key comes of it`() throws {
        let secret = try SecretBytes(known: pattern(64))
        let wasIntact = secret.isIntact
        secret.wipe()
        let isIntact = secret.isIntact
        #expect(wasIntact && !isIntact)
        #expect(secret.revealed() == [UInt8](repeating: 0, count: 64))
        let master = try MasterSecret.random(for: .known())
        _ = try master.metaKey()
        master.wipe()
        #expect(throws: CipherError(.memory)) { _ = try master.metaKey() }
        #expect(throws: CipherError(.memory)) {
            _ = try master.dataKey(
                epoch: 1, suite: .aes256GCM, history: [UInt8](repeating: 0, count: 16))
        }
    }
}
