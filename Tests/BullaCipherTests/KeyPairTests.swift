import BullaCipher
import BullaMemory
import Testing

@Suite struct `A pair of keys` {
    @Test func `agrees as RFC 7748 says`() throws {
        for vector in try VectorFile("x25519").vectors {
            let pair = try KeyPair(.agreement, SecretBytes(known: vector.bytes("private")))
            #expect(pair.publicKey == (try vector.bytes("public")))
            let agreed = try pair.agree(with: vector.bytes("other"))
            #expect(agreed.withView { $0.copied() } == (try vector.bytes("agreed")))
        }
    }

    @Test func `agrees as another library does, a thousand times`() throws {
        try RandomVectorFile("x25519-random").forEach { vector, stream in
            let own = try KeyPair(.agreement, SecretBytes(known: try stream.take(32)))
            let other = try KeyPair(.agreement, SecretBytes(known: try stream.take(32)))
            #expect(try own.agree(with: other.publicKey).withView { $0.copied() } == vector.answer)
            #expect(try other.agree(with: own.publicKey).withView { $0.copied() } == vector.answer)
        }
    }

    @Test func `agrees on nothing with a point of small order`() throws {
        let pair = try KeyPair.random(.agreement)
        let one = [1] + [UInt8](repeating: 0, count: 31)
        for point in [[UInt8](repeating: 0, count: 32), one] {
            do {
                _ = try pair.agree(with: point)
                Issue.record("everybody knows that secret")
            } catch { #expect(error.code == .badTag) }
        }
    }

    @Test func `signs as RFC 8032 says`() throws {
        for vector in try VectorFile("ed25519").vectors {
            let pair = try KeyPair(.signature, SecretBytes(known: vector.bytes("private")))
            let message = try vector.bytes("message")
            #expect(pair.publicKey == (try vector.bytes("public")))
            let signature = try Bytes(message).view.signed(by: pair)
            #expect(signature == (try vector.bytes("signature")))
        }
    }

    @Test func `signs as another library does, a thousand times`() throws {
        try RandomVectorFile("ed25519-random").forEach { vector, stream in
            let pair = try KeyPair(.signature, SecretBytes(known: try stream.take(32)))
            let message = Bytes(try stream.take(vector.numbers[0]))
            #expect(pair.publicKey == Array(vector.answer.prefix(32)))
            #expect(try message.view.signed(by: pair) == Array(vector.answer.dropFirst(32)))
        }
    }

    @Test func `vouches for nothing that was changed`() throws {
        let pair = try KeyPair.random(.signature)
        let other = try KeyPair.random(.signature)
        let message = Bytes(Array("a wrapped key".utf8))
        let signature = try message.view.signed(by: pair)
        try Signature.verify(signature, of: message.view, by: pair.publicKey)
        #expect(throws: CipherError(.badTag)) {
            try Signature.verify(signature, of: message.view, by: other.publicKey)
        }
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(throws: CipherError(.badTag)) {
                try Signature.verify(changed, of: message.view, by: pair.publicKey)
            }
        }
        message[3] ^= 1
        #expect(throws: CipherError(.badTag)) {
            try Signature.verify(signature, of: message.view, by: pair.publicKey)
        }
        #expect(throws: CipherError(.badTag)) {
            try Signature.verify([1, 2], of: message.view, by: pair.publicKey)
        }
    }
}

@Suite struct `A signature over P-256` {
    @Test func `is checked as RFC 6979 gives it`() throws {
        for vector in try VectorFile("ecdsa-p256-sha256").vectors {
            let (key, message) = (try vector.bytes("public"), Bytes(try vector.bytes("message")))
            let signature = try vector.bytes("signature")
            try Signature.verifyP256(signature, of: message.view, by: key)
            message[0] ^= 1
            #expect(throws: CipherError(.badTag)) {
                try Signature.verifyP256(signature, of: message.view, by: key)
            }
        }
    }

    @Test func `is checked as another library makes it, a thousand times`() throws {
        try RandomVectorFile("ecdsa-p256-random").forEach { vector, stream in
            _ = try stream.take(32)
            let message = Bytes(try stream.take(vector.numbers[0]))
            let key = Array(vector.answer.prefix(vector.numbers[1]))
            var signature = Array(vector.answer.dropFirst(key.count))
            try Signature.verifyP256(signature, of: message.view, by: key)
            signature[signature.count - 1] ^= 1
            #expect(throws: CipherError(.badTag)) {
                try Signature.verifyP256(signature, of: message.view, by: key)
            }
        }
    }

    @Test func `is refused under keys that are not on the curve`() throws {
        let vector = try #require(try VectorFile("ecdsa-p256-sha256").vectors.first)
        let (key, message) = (try vector.bytes("public"), Bytes(try vector.bytes("message")))
        let signature = try vector.bytes("signature")
        // The keys are empty, cut, extended, off the curve, of another kind, and too long.
        let offCurve = Array(key.dropLast()) + [key[key.count - 1] ^ 1]
        let agreement: [UInt8] =
            [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x21, 0x00]
            + [UInt8](repeating: 9, count: 32)
        let keys = [
            [], Array(key.dropLast()), key + [0], offCurve, agreement,
            [UInt8](repeating: 0x30, count: 1_000),
        ]
        for key in keys {
            #expect(throws: CipherError(.badArgument)) {
                try Signature.verifyP256(signature, of: message.view, by: key)
            }
        }
    }

    @Test func `is refused where it is not in DER`() throws {
        let vector = try #require(try VectorFile("ecdsa-p256-sha256").vectors.first)
        let (key, message) = (try vector.bytes("public"), Bytes(try vector.bytes("message")))
        let signature = try vector.bytes("signature")
        for changed in [[], Array(signature.dropLast()), signature + [0], [0x30, 0x80]] {
            #expect(throws: CipherError(.badTag)) {
                try Signature.verifyP256(changed, of: message.view, by: key)
            }
        }
    }
}

@Suite struct `A key for signatures over P-256` {
    private let message = Bytes(Array("sample".utf8))
    private let publicKey: [UInt8]
    /// The scalar of RFC 6979, appendix A.2.5, and the point that belongs to it.
    private let (scalar, point): ([UInt8], [UInt8])

    init() throws {
        publicKey = try #require(try VectorFile("ecdsa-p256-sha256").vectors.first).bytes("public")
        point = Array(publicKey.suffix(65))
        let digits = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"
        scalar = stride(from: 0, to: 64, by: 2).compactMap { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16)
        }
    }

    /// The private key in the form of RFC 5915.
    private var plain: [UInt8] {
        [0x30, 0x77, 2, 1, 1, 4, 32] + scalar
            + [0xa0, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7, 0xa1, 68, 3, 66, 0] + point
    }

    /// The private key in the form of RFC 5958.
    private var wrapped: [UInt8] {
        [0x30, 0x81, 0x87, 2, 1, 0, 0x30, 0x13, 6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, 6, 8]
            + [0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7, 4, 0x6d, 0x30, 0x6b, 2, 1, 1, 4, 32] + scalar
            + [0xa1, 68, 3, 66, 0] + point
    }

    private func sign(with key: [UInt8]) throws -> [UInt8] {
        try Signature.signP256(message.view, with: Bytes(key).view)
    }

    @Test func `signs in both of its forms, so that only its own message fits`() throws {
        for key in [plain, wrapped] {
            let signature = try sign(with: key)
            try Signature.verifyP256(signature, of: message.view, by: publicKey)
            let other = Bytes(Array("test".utf8))
            #expect(throws: CipherError(.badTag)) {
                try Signature.verifyP256(signature, of: other.view, by: publicKey)
            }
        }
        // Each signature has a random number of its own.
        #expect(try sign(with: plain) != sign(with: plain))
    }

    @Test func `is refused if it is cut, extended, of another kind or too long`() throws {
        let edwards: [UInt8] =
            [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 32] + scalar
        let keys = [
            Array(plain.dropLast()), plain + [0], wrapped + [0], edwards, publicKey, [0x30],
            [UInt8](repeating: 0x30, count: 1_000),
        ]
        for key in keys {
            #expect(throws: CipherError(.badArgument)) { _ = try sign(with: key) }
        }
    }
}

extension ByteView {
    fileprivate func signed(by pair: borrowing KeyPair) throws -> [UInt8] { try pair.sign(self) }
}
