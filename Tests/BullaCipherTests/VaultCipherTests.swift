import BullaCipher
import BullaMemory
import CBullaCipher
import Dispatch
import Synchronization
import Testing

@Suite struct `A vault cipher` {
    @Test func `is XAES-256-GCM as C2SP specifies it`() throws {
        for vector in try VectorFile("xaes-256-gcm").vectors {
            let (key, nonce) = (try vector.bytes("key"), try vector.bytes("nonce"))
            let (context, plaintext) = (try vector.bytes("context"), try vector.bytes("plaintext"))
            let expected = nonce + (try vector.bytes("sealed"))
            let sealed = KnownVault(key: key).seal(
                nonce: nonce, context: context, plaintext: plaintext)
            #expect(sealed == (BULLA_CIPHER_OK, expected))
            #expect(try open(expected, key: key, context: context) == plaintext)
        }
    }

    @Test func `gives the accumulated answer of C2SP over ten thousand random cases`()
        throws
    {
        var source = Shake128()
        var hash = Shake128()
        #expect(Array(source.squeeze(4)) == [0x7f, 0x9c, 0x2b, 0xa4])
        source = Shake128()
        for _ in 0..<10_000 {
            let (key, nonce) = (source.squeeze(32), source.squeeze(24))
            let plaintext = source.squeeze(Int(source.squeeze(1)[0]))
            let context = source.squeeze(Int(source.squeeze(1)[0]))
            let (_, sealed) = KnownVault(key: key).seal(
                nonce: nonce, context: context, plaintext: plaintext)
            hash.absorb(Array(sealed.dropFirst(24)))
        }
        let expected = try #require(try VectorFile("xaes-256-gcm-accumulated").vectors.first)
        #expect(hash.squeeze(32) == (try expected.bytes("digest")))
    }

    @Test func `gives what another library gives, a thousand times`() throws {
        try RandomVectorFile("xaes-256-gcm-random").forEach { vector, stream in
            let (key, nonce) = (try stream.take(32), try stream.take(24))
            let context = try stream.take(vector.numbers[0])
            let plaintext = try stream.take(vector.numbers[1])
            let cipher = KnownVault(key: key)
            let sealed = cipher.seal(nonce: nonce, context: context, plaintext: plaintext)
            #expect(sealed == (BULLA_CIPHER_OK, nonce + vector.answer))
            #expect(cipher.open(sealed.sealed, context: context) == (BULLA_CIPHER_OK, plaintext))
        }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 256, 4096, 100_001])
    func `opens what it sealed, also where it lies`(byteCount: Int) throws {
        let cipher = try VaultCipher(key: SecretBytes(known: pattern(32)))
        let (cleartext, context) = (pattern(byteCount, from: 4), Bytes(pattern(54, from: 9)))
        let sealed = Bytes(count: byteCount + 40)
        let middle = sealed.mutableView.slice(24, byteCount)
        middle.copy(Bytes(cleartext).view, to: 0)
        try cipher.seal(middle.view, context: context.view, into: sealed.mutableView)
        let known = KnownVault(key: pattern(32)).seal(
            nonce: Array(sealed.array.prefix(24)), context: context.array, plaintext: cleartext)
        #expect(sealed.array == known.sealed)
        try cipher.open(sealed.view, context: context.view, into: middle)
        #expect(middle.view.copied() == cleartext)
    }

    @Test func `gives zeros when any bit of what was sealed, its key or its context differs`()
        throws
    {
        let known = KnownVault(key: pattern(32))
        let sealed = known.seal(nonce: pattern(24), context: pattern(9), plaintext: pattern(33))
        let zeros = [UInt8](repeating: 0, count: 33)
        for bit in 0..<sealed.sealed.count * 8 {
            var changed = sealed.sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(known.open(changed, context: pattern(9)) == (BULLA_CIPHER_BAD_TAG, zeros))
        }
        for context in [pattern(8), pattern(9, from: 1), []] {
            #expect(known.open(sealed.sealed, context: context) == (BULLA_CIPHER_BAD_TAG, zeros))
        }
        for bit in 0..<256 {
            var key = pattern(32)
            key[bit / 8] ^= 1 << (bit % 8)
            let opened = KnownVault(key: key).open(sealed.sealed, context: pattern(9))
            #expect(opened == (BULLA_CIPHER_BAD_TAG, zeros))
        }
    }

    @Test func `refuses what is too short or too long`() throws {
        let known = KnownVault(key: pattern(32))
        #expect(known.open(pattern(39), context: []).status == BULLA_CIPHER_BAD_ARGUMENT)
        #expect(known.refusesLength(UInt32.max - 39))
        let cipher = try VaultCipher(key: SecretBytes(known: pattern(32)))
        let sealed = Bytes(count: 40)
        let longest = Bytes(count: VaultCipher.contextByteLimit)
        try cipher.seal(emptyView, context: longest.view, into: sealed.mutableView)
        let tooLong = Bytes(count: VaultCipher.contextByteLimit + 1)
        #expect(throws: CipherError(.badArgument)) {
            try cipher.seal(emptyView, context: tooLong.view, into: sealed.mutableView)
        }
        #expect(throws: CipherError(.badArgument)) {
            try cipher.open(
                sealed.view, context: tooLong.view, into: Bytes(count: 0).mutableView)
        }
        for count in [16, 31, 33, 64] {
            #expect(throws: CipherError(.badArgument)) {
                _ = try VaultCipher(key: SecretBytes(known: pattern(count)))
            }
        }
    }

    @Test func `serves many threads at once, each nonce once`() throws {
        let cipher = try VaultCipher(key: SecretBytes(known: pattern(32)))
        let nonces = Mutex<Set<[UInt8]>>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            let (cleartext, sealed) = (Bytes(pattern(50, from: thread)), Bytes(count: 90))
            let (context, opened) = (Bytes(pattern(20)), Bytes(count: 50))
            for _ in 0..<200 {
                do throws(CipherError) {
                    try cipher.seal(
                        cleartext.view, context: context.view, into: sealed.mutableView)
                    try cipher.open(sealed.view, context: context.view, into: opened.mutableView)
                } catch {
                    Issue.record(error)
                }
                #expect(opened.array == cleartext.array)
                let nonce = Array(sealed.array.prefix(24))
                #expect(nonces.withLock { $0.insert(nonce).inserted })
            }
        }
        #expect(nonces.withLock { $0.count } == 1600)
    }

    @Test func `that has ended seals and opens nothing any more`() throws {
        let cipher = try VaultCipher(key: SecretBytes(known: pattern(32)))
        let sealed = Bytes(count: 40)
        try cipher.seal(emptyView, context: emptyView, into: sealed.mutableView)
        for _ in 0..<2 {
            cipher.end()
            #expect(throws: CipherError(.memory)) {
                try cipher.seal(emptyView, context: emptyView, into: sealed.mutableView)
            }
            #expect(throws: CipherError(.memory)) {
                try cipher.open(
                    sealed.view, context: emptyView, into: Bytes(count: 0).mutableView)
            }
        }
    }

    @Test func `that ends under threads at work seals as ever, or not at all`() throws {
        for _ in 0..<20 {
            let cipher = try VaultCipher(key: SecretBytes(known: pattern(32)))
            let started = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                if thread == 0 {
                    while started.load(ordering: .relaxed) == 0 {}
                    cipher.end()
                } else {
                    started.add(1, ordering: .relaxed)
                    sealUntilEnd(cipher)
                }
            }
        }
    }

    @Test func `takes no key that was wiped`() throws {
        let key = try SecretBytes(known: pattern(32))
        key.wipe()
        #expect(throws: CipherError(.memory)) { _ = try VaultCipher(key: key) }
    }

    /// Seals until sealing is refused; everything sealed must open.
    private func sealUntilEnd(_ cipher: VaultCipher) {
        let (cleartext, sealed) = (Bytes(pattern(50)), Bytes(count: 90))
        let known = KnownVault(key: pattern(32))
        while true {
            do throws(CipherError) {
                try cipher.seal(cleartext.view, context: emptyView, into: sealed.mutableView)
            } catch {
                #expect(error == CipherError(.memory))
                return
            }
            #expect(known.open(sealed.array, context: []) == (BULLA_CIPHER_OK, pattern(50)))
        }
    }

    private func open(_ sealed: [UInt8], key: [UInt8], context: [UInt8]) throws -> [UInt8] {
        let opened = Bytes(count: sealed.count - VaultCipher.extraByteCount)
        try VaultCipher(key: SecretBytes(known: key)).open(
            Bytes(sealed).view, context: Bytes(context).view, into: opened.mutableView)
        return opened.array
    }
}
