import BullaCipher
import BullaMemory
import Testing

@Suite struct `The encoding of a stretching` {
    @Test(
        arguments: [
            (nil, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            (.scrypt(logN: 18, r: 8, p: 3), [1, 0, 0, 0, 18, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0]),
            (.pbkdf2(iterations: 0x0102_0304), [2, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ] as [(PasswordStretching?, [UInt8])])
    func `is 16 bytes, and gives back what was written`(
        stretching: PasswordStretching?, expected: [UInt8]
    ) throws {
        let bytes = Bytes(count: 16, filledWith: 0xff)
        try PasswordStretching.store(stretching, in: bytes.mutableView)
        #expect(bytes.array == expected)
        #expect(try PasswordStretching.load(from: bytes.view) == stretching)
    }

    @Test func `is refused when a byte that is to be zero is not`() {
        let scrypt: [UInt8] = [1, 0, 0, 0, 17, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0]
        let pbkdf2: [UInt8] = [2, 0, 0, 0, 192, 39, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let none = [UInt8](repeating: 0, count: 16)
        for (valid, zeros) in [(scrypt, 1..<4), (pbkdf2, 1..<4), (pbkdf2, 8..<16), (none, 1..<16)] {
            for index in zeros {
                var changed = valid
                #expect(throws: Never.self) { _ = try self.load(changed) }
                changed[index] = 0x80
                #expect(throws: CipherError(.malformed)) { _ = try self.load(changed) }
            }
        }
    }

    @Test func `of an unknown kind is refused, and of Argon2id in its own way`() {
        for kind in UInt8(4)...255 {
            #expect(throws: CipherError(.malformed)) {
                _ = try self.load([kind] + [UInt8](repeating: 0, count: 15))
            }
        }
        for fill in [UInt8(0), 1] {
            #expect(throws: CipherError(.unavailable)) {
                _ = try self.load([3] + [UInt8](repeating: fill, count: 15))
            }
        }
    }

    @Test func `of parameters beyond the bounds is refused as they are`() {
        let cases: [([UInt8], CipherError.Code)] = [
            ([1, 0, 0, 0, 16, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0], .weakParameters),
            ([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], .weakParameters),
            ([1] + [0, 0, 0] + [UInt8](repeating: 255, count: 12), .absurdParameters),
            ([2, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0], .absurdParameters),
            ([2, 0, 0, 0, 191, 39, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0], .weakParameters),
        ]
        for (bytes, code) in cases {
            #expect(throws: CipherError(code)) { _ = try self.load(bytes) }
        }
    }

    @Test(arguments: [0, 1, 15, 17])
    func `of another count is refused`(byteCount: Int) {
        #expect(throws: CipherError(.malformed)) {
            _ = try self.load([UInt8](repeating: 0, count: byteCount))
        }
    }

    private func load(_ bytes: [UInt8]) throws(CipherError) -> PasswordStretching? {
        try PasswordStretching.load(from: Bytes(bytes).view)
    }
}

@Suite struct `A calibrated stretching` {
    /// The duration on a simulated machine on which N = 2^17 takes 100 ms.
    private static func duration(_ stretching: PasswordStretching) -> Duration {
        guard case .scrypt(let logN, 8, 1) = stretching else { return .zero }
        return .milliseconds(100 << (logN - 17))
    }

    @Test(arguments: [
        (0, 17), (100, 17), (101, 17), (200, 17), (201, 18), (401, 19), (800, 19), (801, 20),
        (100_000, 20),
    ])
    func `is the strongest that stays below the limit, or the floor`(
        milliseconds: Int, logN: Int
    ) throws {
        let calibrated = try PasswordStretching.calibrated(
            for: .milliseconds(milliseconds), measure: Self.duration)
        #expect(calibrated == .scrypt(logN: logN, r: 8, p: 1))
    }

    @Test func `does not measure what cannot be chosen any more`() throws {
        var measured = 0
        _ = try PasswordStretching.calibrated(for: .milliseconds(150)) { stretching in
            measured += 1
            return Self.duration(stretching)
        }
        #expect(measured == 2)
    }

    @Test func `stays with what there was memory for, and throws where the floor fails`() throws {
        let most = PasswordStretching.scrypt(logN: 18, r: 8, p: 1)
        let calibrated = try PasswordStretching.calibrated(for: .seconds(9)) {
            stretching throws(CipherError) in
            guard stretching == .recommended || stretching == most else {
                throw CipherError(.memory)
            }
            return .zero
        }
        #expect(calibrated == most)
        for code in [CipherError.Code.memory, .library] {
            #expect(throws: CipherError(code)) {
                _ = try PasswordStretching.calibrated(for: .seconds(9)) {
                    _ throws(CipherError) in throw CipherError(code)
                }
            }
        }
    }

    @Test func `on this machine is one that may be used`() throws {
        // Given no time at all, calibration measures only the floor, and chooses it.
        #expect(try PasswordStretching.calibrated(for: .zero) == .recommended)
        try PasswordStretching.recommended.check()
    }
}
