import BullaCipher
import BullaMemory
import CBullaCipher
import Testing

@Suite struct `A password` {
    private static let salt = pattern(32, from: 8)
    private static let floor = PasswordStretching.scrypt(logN: 17, r: 8, p: 1)

    @Test func `is stretched by scrypt as RFC 7914 says`() throws {
        for vector in try VectorFile("scrypt").vectors {
            let expected = try vector.bytes("stretched")
            let stretched = Primitives.scrypt(
                password: try vector.bytes("password"), salt: try vector.bytes("salt"),
                logN: try vector.number("logN"), r: try vector.number("r"),
                p: try vector.number("p"), byteCount: expected.count)
            #expect(stretched == (BULLA_CIPHER_OK, expected))
        }
    }

    @Test func `is stretched by PBKDF2-HMAC-SHA-256 as published`() throws {
        for vector in try VectorFile("pbkdf2-hmac-sha-256").vectors {
            let expected = Array(try vector.bytes("stretched").prefix(32))
            let stretched = Primitives.pbkdf2(
                password: try vector.bytes("password"), salt: try vector.bytes("salt"),
                iterations: try vector.number("iterations"), byteCount: expected.count)
            #expect(stretched == (BULLA_CIPHER_OK, expected))
        }
    }

    @Test func `is stretched by scrypt as another library does, a thousand times`() throws {
        try RandomVectorFile("scrypt-random").forEach { vector, stream in
            let numbers = vector.numbers
            let stretched = Primitives.scrypt(
                password: try stream.take(numbers[0]), salt: try stream.take(numbers[1]),
                logN: numbers[2], r: numbers[3], p: numbers[4], byteCount: vector.answer.count)
            #expect(stretched == (BULLA_CIPHER_OK, vector.answer))
        }
    }

    @Test func `is stretched by PBKDF2 as another library does, a thousand times`() throws {
        try RandomVectorFile("pbkdf2-random").forEach { vector, stream in
            let numbers = vector.numbers
            let stretched = Primitives.pbkdf2(
                password: try stream.take(numbers[0]), salt: try stream.take(numbers[1]),
                iterations: numbers[2], byteCount: vector.answer.count)
            #expect(stretched == (BULLA_CIPHER_OK, vector.answer))
        }
    }

    @Test func `becomes the key that another library makes of it, with parameters in use`() throws {
        for vector in try VectorFile("password-keys").vectors {
            let encoding = Bytes(try vector.bytes("encoding"))
            let stretching = try #require(try PasswordStretching.load(from: encoding.view))
            let password = try SecretBytes(known: try vector.bytes("password"))
            let key = try stretching.userKey(password: password, salt: try vector.bytes("salt"))
            let expected = try vector.bytes("key")
            let isExpected = key.withBytes { key in
                key.withView { $0.copied() } == expected
            }
            #expect(isExpected)
            let written = Bytes(count: 16, filledWith: 0xff)
            try PasswordStretching.store(stretching, in: written.mutableView)
            #expect(written.array == encoding.array)
        }
    }

    @Test func `has no second block of PBKDF2, nor more than scrypt's vectors need`() {
        let (password, salt) = (pattern(8), Self.salt)
        for count in [0, 33] {
            let pbkdf2 = Primitives.pbkdf2(
                password: password, salt: salt, iterations: 1, byteCount: count)
            #expect(pbkdf2.status == BULLA_CIPHER_BAD_ARGUMENT)
        }
        for count in [0, 65] {
            let scrypt = Primitives.scrypt(
                password: password, salt: salt, logN: 4, r: 1, p: 1, byteCount: count)
            #expect(scrypt.status == BULLA_CIPHER_BAD_ARGUMENT)
        }
    }

    @Test func `is not stretched with numbers that the RFCs exclude`() {
        for (logN, r, p) in [(0, 1, 1), (4, 0, 1), (4, 1, 0), (4, 1 << 15, 1 << 15), (63, 8, 1)] {
            let scrypt = Primitives.scrypt(
                password: [1], salt: [1], logN: logN, r: r, p: p, byteCount: 32)
            #expect(scrypt.status == BULLA_CIPHER_BAD_ARGUMENT)
        }
        let pbkdf2 = Primitives.pbkdf2(password: [1], salt: [1], iterations: 0, byteCount: 32)
        #expect(pbkdf2.status == BULLA_CIPHER_BAD_ARGUMENT)
        // N = 2^16 is more than r = 1 allows; only libcrypto checks this.
        let scrypt = Primitives.scrypt(
            password: [1], salt: [1], logN: 16, r: 1, p: 1, byteCount: 32)
        #expect(scrypt == (BULLA_CIPHER_LIBRARY, [UInt8](repeating: 0, count: 32)))
    }

    @Test(
        arguments: [
            .scrypt(logN: 17, r: 8, p: 1), .scrypt(logN: 17, r: 8, p: 16),
            .scrypt(logN: 20, r: 8, p: 2), .pbkdf2(iterations: 600_000),
            .pbkdf2(iterations: 20_000_000),
        ] as [PasswordStretching])
    func `may be stretched at every bound`(stretching: PasswordStretching) throws {
        var calls = 0
        let key = try stretching.userKey(password: Bytes([7]).view, salt: Self.salt) {
            asked, password, salt, stretched in
            calls += 1
            #expect(asked == stretching)
            #expect(password.copied() == [7])
            #expect(salt.copied() == Self.salt)
            stretched.fill(0, stretched.byteCount, with: 3)
        }
        #expect(calls == 1)
        let expected = try KeyDerivation.hkdf(
            key: Bytes(count: 32, filledWith: 3).view, salt: Self.salt,
            info: Array("bulla password key v1".utf8), byteCount: 64
        ).revealed()
        let isExpected = key.withBytes { key in key.withView { $0.copied() } == expected }
        #expect(isExpected)
    }

    @Test(
        arguments: [
            (.scrypt(logN: 16, r: 8, p: 1), .weakParameters),
            (.scrypt(logN: 17, r: 7, p: 1), .weakParameters),
            (.scrypt(logN: 17, r: 8, p: 0), .weakParameters),
            (.scrypt(logN: .min, r: .min, p: .min), .weakParameters),
            (.scrypt(logN: 21, r: 8, p: 1), .absurdParameters),
            (.scrypt(logN: 17, r: 9, p: 1), .absurdParameters),
            (.scrypt(logN: 17, r: 8, p: 17), .absurdParameters),
            (.scrypt(logN: 20, r: 8, p: 3), .absurdParameters),
            (.scrypt(logN: 19, r: 8, p: 5), .absurdParameters),
            (.scrypt(logN: .max, r: .max, p: .max), .absurdParameters),
            (.pbkdf2(iterations: 599_999), .weakParameters),
            (.pbkdf2(iterations: -1), .weakParameters),
            (.pbkdf2(iterations: 20_000_001), .absurdParameters),
            (.argon2id, .unavailable),
        ] as [(PasswordStretching, CipherError.Code)])
    func `is refused one step beyond each bound, before any work`(
        stretching: PasswordStretching, code: CipherError.Code
    ) throws {
        #expect(throws: CipherError(code)) {
            _ = try stretching.userKey(
                password: Bytes([1]).view, salt: Self.salt, stretcher: Self.mustNotRun)
        }
        let written = Bytes(count: 16, filledWith: 0xff)
        #expect(throws: CipherError(code)) {
            try PasswordStretching.store(stretching, in: written.mutableView)
        }
        #expect(written.array == [UInt8](repeating: 0xff, count: 16))
    }

    @Test func `has 1 to 1024 bytes, and a salt of 32`() throws {
        for (passwordCount, saltCount) in [(0, 32), (1025, 32), (8, 31), (8, 33), (8, 0)] {
            #expect(throws: CipherError(.badArgument)) {
                _ = try Self.floor.userKey(
                    password: Bytes(pattern(passwordCount)).view, salt: pattern(saltCount),
                    stretcher: Self.mustNotRun)
            }
        }
        for count in [1, 1024] {
            var seen = 0
            _ = try Self.floor.userKey(password: Bytes(pattern(count)).view, salt: Self.salt) {
                _, password, _, _ in seen = password.byteCount
            }
            #expect(seen == count)
        }
    }

    @Test func `that was wiped becomes no key`() throws {
        let password = try SecretBytes(known: pattern(8))
        password.wipe()
        #expect(throws: CipherError(.memory)) {
            _ = try Self.floor.userKey(password: password, salt: Self.salt)
        }
    }

    @Test func `gets another salt each time`() throws {
        let one = try KeyringSlot.Form.randomSalt()
        let other = try KeyringSlot.Form.randomSalt()
        #expect(one != other)
        #expect(one.count == 32)
    }

    private static func mustNotRun(
        _: PasswordStretching, _: ByteView, _: ByteView, _: MutableByteView
    ) throws(CipherError) {
        Issue.record("something was stretched")
    }
}
