import BullaCipher
import BullaMemory
import CBullaCipher
import Foundation
import Testing

@Suite struct `Known answers of the standards` {
    @Test func `AES-256-GCM seals and opens as SP 800-38D says`() throws {
        for vector in try VectorFile("aes-256-gcm").vectors {
            let (key, nonce) = (try vector.bytes("key"), try vector.bytes("nonce"))
            let (context, plaintext) = (try vector.bytes("context"), try vector.bytes("plaintext"))
            let expected = try vector.bytes("ciphertext") + vector.bytes("tag")
            let sealed = Primitives.gcmSeal(
                key: key, nonce: nonce, context: context, plaintext: plaintext)
            #expect(sealed == (BULLA_CIPHER_OK, expected))
            let opened = Primitives.gcmOpen(
                key: key, nonce: nonce, context: context, sealed: expected)
            #expect(opened == (BULLA_CIPHER_OK, plaintext))
        }
    }

    @Test func `AES-256-GCM gives what another library gives, a thousand times`() throws {
        try RandomVectorFile("aes-256-gcm-random").forEach { vector, stream in
            let (key, nonce) = (try stream.take(32), try stream.take(12))
            let context = try stream.take(vector.numbers[0])
            let plaintext = try stream.take(vector.numbers[1])
            let sealed = Primitives.gcmSeal(
                key: key, nonce: nonce, context: context, plaintext: plaintext)
            #expect(sealed == (BULLA_CIPHER_OK, vector.answer))
            let opened = Primitives.gcmOpen(
                key: key, nonce: nonce, context: context, sealed: vector.answer)
            #expect(opened == (BULLA_CIPHER_OK, plaintext))
        }
    }

    @Test func `HKDF-SHA-256 gives what another library gives, a thousand times`() throws {
        try RandomVectorFile("hkdf-random").forEach { vector, stream in
            let key = Bytes(try stream.take(vector.numbers[0]))
            let derived = try KeyDerivation.hkdf(
                key: key.view, salt: try stream.take(vector.numbers[1]),
                info: try stream.take(vector.numbers[2]), byteCount: vector.answer.count)
            #expect(derived.revealed() == vector.answer)
        }
    }

    @Test func `AES-256-GCM gives zeros and no plaintext when any bit of the sealed bytes differs`()
        throws
    {
        for vector in try VectorFile("aes-256-gcm").vectors {
            let sealed = try vector.bytes("ciphertext") + vector.bytes("tag")
            for bit in 0..<sealed.count * 8 {
                var changed = sealed
                changed[bit / 8] ^= 1 << (bit % 8)
                let opened = Primitives.gcmOpen(
                    key: try vector.bytes("key"), nonce: try vector.bytes("nonce"),
                    context: try vector.bytes("context"), sealed: changed)
                let zeros = [UInt8](repeating: 0, count: sealed.count - 16)
                #expect(opened == (BULLA_CIPHER_BAD_TAG, zeros))
            }
        }
    }

    @Test func `AES-256-GCM refuses bytes that are shorter than a tag`() {
        let opened = Primitives.gcmOpen(
            key: pattern(32), nonce: pattern(12), context: [], sealed: pattern(15))
        #expect(opened.status == BULLA_CIPHER_BAD_ARGUMENT)
    }

    @Test func `AES-256-CTR encrypts and decrypts as SP 800-38A says`() throws {
        for vector in try VectorFile("aes-256-ctr").vectors {
            let (key, counter) = (try vector.bytes("key"), try vector.bytes("counter"))
            let plaintext = try vector.bytes("plaintext")
            let ciphertext = try vector.bytes("ciphertext")
            let encrypted = Primitives.ctrApply(key: key, counter: counter, input: plaintext)
            #expect(encrypted == (BULLA_CIPHER_OK, ciphertext))
            let decrypted = Primitives.ctrApply(key: key, counter: counter, input: ciphertext)
            #expect(decrypted == (BULLA_CIPHER_OK, plaintext))
        }
    }

    @Test func `HMAC-SHA-256 gives the digests of RFC 4231, however the message is cut`() throws {
        for vector in try VectorFile("hmac-sha-256").vectors {
            let key = Bytes(try vector.bytes("key"))
            let message = Bytes(try vector.bytes("message"))
            let expected = try vector.bytes("digest")
            let hmac = try HMAC(key: key.view)
            for cut in [0, 1, message.count / 2, message.count] {
                let parts = [
                    message.view.slice(0, cut), message.view.slice(cut, message.count - cut),
                ]
                let digest = try hmac.digest(of: parts)
                #expect(Array(digest.bytes.prefix(expected.count)) == expected)
            }
        }
    }

    @Test func `HMAC-SHA-256 serves many threads at once, and refuses a key of no bytes`() throws {
        let vector = try #require(try VectorFile("hmac-sha-256").vectors.first)
        let hmac = try HMAC(key: Bytes(try vector.bytes("key")).view)
        let bytes = try vector.bytes("message")
        let expected = try vector.bytes("digest")
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let message = Bytes(bytes)
            for _ in 0..<100 {
                let digest = try? hmac.digest(of: [message.view])
                #expect(digest?.bytes == expected)
            }
        }
        #expect(throws: CipherError(.badArgument)) { _ = try HMAC(key: Bytes(count: 0).view) }
    }

    @Test func `HKDF-SHA-256 derives the keys of RFC 5869`() throws {
        for vector in try VectorFile("hkdf-sha-256").vectors {
            let expected = try vector.bytes("derived")
            let derived = try KeyDerivation.hkdf(
                key: Bytes(try vector.bytes("key")).view, salt: try vector.bytes("salt"),
                info: try vector.bytes("info"), byteCount: expected.count)
            #expect(derived.revealed() == expected)
        }
    }

    @Test func `HKDF-SHA-256 refuses more than it can give, and a key of no bytes`() {
        #expect(throws: CipherError(.badArgument)) {
            _ = try KeyDerivation.hkdf(
                key: Bytes(pattern(32)).view, salt: [], info: [], byteCount: 255 * 32 + 1)
        }
        #expect(throws: CipherError(.badArgument)) {
            _ = try KeyDerivation.hkdf(
                key: Bytes(count: 0).view, salt: [], info: [], byteCount: 32)
        }
    }

    @Test func `SHA-256 gives the digests of FIPS 180-4`() throws {
        for vector in try VectorFile("sha-256").vectors {
            let digest = try KeyDerivation.sha256(Bytes(try vector.bytes("message")).view)
            #expect(digest.bytes == (try vector.bytes("digest")))
        }
    }

    @Test func `XXH64 gives the sums of the reference, at any address`() throws {
        for vector in try VectorFile("xxh64").vectors {
            let count: Int = try vector.number("count")
            let expected: UInt64 = try vector.number("sum", radix: 16)
            for shift in 0..<8 {
                let bytes = Bytes(pattern(shift) + pattern(count))
                let sum = Checksum.xxh64(
                    bytes.view.slice(shift, count), seed: try vector.number("seed", radix: 16))
                #expect(sum == expected)
            }
        }
    }

    @Test func `Bytes are equal only when all of them are`() {
        let bytes = pattern(32)
        #expect(Primitives.equal(bytes, bytes))
        for bit in 0..<256 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(!Primitives.equal(bytes, other))
            #expect(!Digest(Bytes(bytes).view).equals(Digest(Bytes(other).view)))
        }
        #expect(Digest(Bytes(bytes).view).equals(Digest(Bytes(bytes).view)))
    }

    @Test func `The library in use says its version`() {
        #expect(CipherLibrary.version.contains("3."))
    }
}
