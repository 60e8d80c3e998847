package import BullaMemory

/// The fields of stretching parameters in a key slot, in file order.
///
/// The offsets are sums of the fields' lengths, so the two cannot disagree.
///
///     field     bytes  scrypt  PBKDF2      no password
///     kind          1  1       2           0
///     reserved      3  zeros   zeros       zeros
///     first         4  log2 N  iterations  zero
///     second        4  r       zero        zero
///     third         4  p       zero        zero
///
/// Kind 3 is reserved for Argon2id.
package enum StretchingField: Int, CaseIterable {
    case kind, reserved, first, second, third

    package var byteCount: Int {
        switch self {
        case .kind: 1
        case .reserved: 3
        case .first, .second, .third: 4
        }
    }

    package var offset: Int {
        Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount }
    }

    package static let totalByteCount = allCases.reduce(0) { $0 + $1.byteCount }
}

extension PasswordStretching {
    private enum Kind {
        static let none: UInt8 = 0
        static let scrypt: UInt8 = 1
        static let pbkdf2: UInt8 = 2
        static let argon2id: UInt8 = 3
    }

    /// Writes the 16 bytes of stretching parameters in a slot.
    ///
    /// - Parameters:
    ///   - stretching: `nil` for a slot without a password.
    ///   - view: 16 bytes.
    /// - Throws: what ``check()`` throws; then nothing is written.
    package static func store(
        _ stretching: PasswordStretching?, in view: MutableByteView
    ) throws(CipherError) {
        precondition(view.byteCount == StretchingField.totalByteCount, "a stretching has 16 bytes")
        try stretching?.check()
        view.fill(0, view.byteCount)
        switch stretching {
        case .scrypt(let logN, let r, let p):
            view.store(Kind.scrypt, at: StretchingField.kind.offset)
            view.store(UInt32(logN), at: StretchingField.first.offset)
            view.store(UInt32(r), at: StretchingField.second.offset)
            view.store(UInt32(p), at: StretchingField.third.offset)
        case .pbkdf2(let iterations):
            view.store(Kind.pbkdf2, at: StretchingField.kind.offset)
            view.store(UInt32(iterations), at: StretchingField.first.offset)
        case .argon2id, nil:
            break
        }
    }

    /// Reads the 16 bytes of stretching parameters in a slot, without trusting them.
    ///
    /// - Returns: `nil` for a slot without a password.
    /// - Throws: ``CipherError/Code/malformed`` for an unknown kind, another number of bytes, or
    ///   anything but zeros where zeros belong; what ``check()`` throws.
    package static func load(from view: ByteView) throws(CipherError) -> PasswordStretching? {
        guard view.byteCount == StretchingField.totalByteCount else {
            throw CipherError(.malformed)
        }
        let numbers = [StretchingField.first, .second, .third].map {
            Int(view.load(UInt32.self, at: $0.offset))
        }
        let kind = view.load(UInt8.self, at: StretchingField.kind.offset)
        // A later version of Bulla may support Argon2id, and may use all bytes after the kind for
        // it. So throw `unavailable` before these bytes are checked.
        guard kind != Kind.argon2id else { throw CipherError(.unavailable) }
        let isReservedZero = view.load(UInt32.self, at: StretchingField.kind.offset) >> 8 == 0
        let loaded = stretching(kind, numbers)
        // The numbers must be those that a writer would store for this value.
        guard isReservedZero, let loaded, loaded.numbers == numbers else {
            throw CipherError(.malformed)
        }
        try loaded.value?.check()
        return loaded.value
    }

    /// A stretching or none, and the three numbers that represent it.
    private typealias Loaded = (value: PasswordStretching?, numbers: [Int])

    private static func stretching(_ kind: UInt8, _ numbers: [Int]) -> Loaded? {
        switch kind {
        case Kind.none: (nil, [0, 0, 0])
        case Kind.scrypt: (.scrypt(logN: numbers[0], r: numbers[1], p: numbers[2]), numbers)
        case Kind.pbkdf2: (.pbkdf2(iterations: numbers[0]), [numbers[0], 0, 0])
        default: nil
        }
    }
}
