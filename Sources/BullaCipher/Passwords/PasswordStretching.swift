/// How a password becomes a key: slowly, so that guessing is slow too.
///
/// A value can hold any parameters, because it is also read from a file. ``check()`` tells whether
/// they are allowed, and every function that stretches a password calls it first.
///
///     way                    floor                   ceiling
///     scrypt                 N = 2^17, r = 8, p = 1  N = 2^20, r = 8, p = 16, N * p = 2^21
///     PBKDF2-HMAC-SHA-256    600 000 iterations      20 000 000 iterations
///     Argon2id               only a number is reserved; libcrypto has Argon2id from 3.2 on
///
/// The floors are those of the OWASP Password Storage Cheat Sheet. With the ceilings, a forged file
/// can cost its reader no more than 1 GiB and some ten seconds.
package enum PasswordStretching: Equatable, Sendable {
    /// RFC 7914, with N = 2^`logN`; takes 1 KiB * N of memory.
    case scrypt(logN: Int, r: Int, p: Int)
    /// RFC 8018, section 5.2, for users whose rules demand it.
    ///
    /// It takes hardly any memory, so an attacker can guess on many small processors at once.
    case pbkdf2(iterations: Int)
    /// RFC 9106.
    case argon2id

    /// The default: 128 MiB.
    package static let recommended = PasswordStretching.scrypt(
        logN: ScryptLimit.logN.lowerBound, r: ScryptLimit.r, p: 1)

    package static let passwordByteLimit = 1024
    /// Twice what NIST SP 800-132, section 5.1, requires.
    package static let saltByteCount = 32

    /// Refuses parameters below the floor or above the ceiling, before any work.
    ///
    /// - Throws: ``CipherError/Code/weakParameters``, ``CipherError/Code/absurdParameters``, or
    ///   ``CipherError/Code/unavailable`` for Argon2id.
    package func check() throws(CipherError) {
        switch self {
        case .scrypt(let logN, let r, let p): try Self.checkScrypt(logN: logN, r: r, p: p)
        case .pbkdf2(let iterations): try Self.check(iterations, in: PBKDF2Limit.iterations)
        case .argon2id: throw CipherError(.unavailable)
        }
    }

    private static func checkScrypt(logN: Int, r: Int, p: Int) throws(CipherError) {
        guard logN >= ScryptLimit.logN.lowerBound, r >= ScryptLimit.r, p >= 1 else {
            throw CipherError(.weakParameters)
        }
        // The limits of the factors are checked first, so that their product cannot overflow.
        guard logN <= ScryptLimit.logN.upperBound, r <= ScryptLimit.r, p <= ScryptLimit.p,
            p << logN <= ScryptLimit.work
        else { throw CipherError(.absurdParameters) }
    }

    private static func check(
        _ number: Int, in limits: ClosedRange<Int>
    ) throws(CipherError) {
        guard number >= limits.lowerBound else { throw CipherError(.weakParameters) }
        guard number <= limits.upperBound else { throw CipherError(.absurdParameters) }
    }
}

enum ScryptLimit {
    static let logN = 17...20
    /// The value that suits today's memory and caches (RFC 7914, section 2).
    static let r = 8
    static let p = 16
    /// N * p.
    static let work = 1 << 21
}

enum PBKDF2Limit {
    static let iterations = 600_000...20_000_000
}
