internal import BullaCipher
internal import BullaMemory

/// How a password becomes a key: slowly, so that guessing is slow too.
///
/// The parameters are stored in the slot. Parameters below a floor or above a ceiling are refused
/// before any work is done or memory taken.
public struct PasswordStretching: Sendable, Hashable, Codable, CustomStringConvertible {
    private enum Way: Sendable, Hashable, Codable {
        case scrypt(logN: Int, parallelism: Int)
        case pbkdf2(iterations: Int)
    }

    private let way: Way

    /// scrypt with N = 2^17, r = 8, p = 1: 128 MiB and a few tenths of a second for each try.
    ///
    /// - Source: RFC 7914; the parameters come from the OWASP Password Storage Cheat Sheet.
    public static let recommended = PasswordStretching(way: .scrypt(logN: 17, parallelism: 1))

    /// scrypt with N = 2^`logN` and r = 8, which takes N KiB of memory.
    ///
    /// - Parameters:
    ///   - logN: 17 to 20.
    ///   - parallelism: 1 to 16; N times this must be at most 2^21.
    /// - Throws: `passwordParameters`.
    public static func scrypt(
        logN: Int, parallelism: Int = 1
    ) throws(BullaError) -> PasswordStretching {
        try PasswordStretching(way: .scrypt(logN: logN, parallelism: parallelism)).checked()
    }

    /// PBKDF2-HMAC-SHA-256, for users whose rules demand it.
    ///
    /// It takes hardly any memory, so attackers can guess on many small processors at once.
    ///
    /// - Parameters:
    ///   - iterations: 600 000 to 20 000 000.
    /// - Throws: `passwordParameters`.
    /// - Source: RFC 8018.
    public static func pbkdf2(iterations: Int) throws(BullaError) -> PasswordStretching {
        try PasswordStretching(way: .pbkdf2(iterations: iterations)).checked()
    }

    /// The strongest scrypt that takes less than `limit` on this machine, but nothing weaker than
    /// ``recommended``, even if that takes longer.
    ///
    /// - Throws: `outOfMemory` if there is not enough memory for ``recommended``.
    /// - Complexity: less than four times `limit`, or the time of ``recommended`` if that alone is
    ///   longer.
    public static func calibrated(for limit: Duration) throws(BullaError) -> PasswordStretching {
        do throws(CipherError) {
            let found = try BullaCipher.PasswordStretching.calibrated(for: limit)
            return PasswordStretching(found) ?? recommended
        } catch { throw BullaError.stretching("calibrate the stretching of passwords", error) }
    }

    /// The function and its parameters, for people to read.
    public var description: String {
        switch way {
        case .scrypt(let logN, let parallelism): "scrypt, N = 2^\(logN), r = 8, p = \(parallelism)"
        case .pbkdf2(let iterations): "PBKDF2-HMAC-SHA-256, \(iterations) iterations"
        }
    }

    private func checked() throws(BullaError) -> PasswordStretching {
        do throws(CipherError) { try parameters.check() } catch {
            throw BullaError.stretching("stretch a password by \(self)", error)
        }
        return self
    }

    var parameters: BullaCipher.PasswordStretching {
        switch way {
        case .scrypt(let logN, let parallelism): .scrypt(logN: logN, r: 8, p: parallelism)
        case .pbkdf2(let iterations): .pbkdf2(iterations: iterations)
        }
    }

    private init(way: Way) { self.way = way }

    init?(_ parameters: BullaCipher.PasswordStretching) {
        switch parameters {
        case .scrypt(let logN, _, let p): way = .scrypt(logN: logN, parallelism: p)
        case .pbkdf2(let iterations): way = .pbkdf2(iterations: iterations)
        case .argon2id: return nil
        }
    }

    /// Decodes the parameters in a slot; `nil` if they are malformed or not allowed.
    init?(decoding bytes: [UInt8]) {
        let loaded = try? bytes.withView { view throws(CipherError) in
            try BullaCipher.PasswordStretching.load(from: view)
        }
        guard let loaded else { return nil }
        self.init(loaded)
    }
}

extension BullaError {
    /// Why a password was not stretched.
    static func stretching(_ attempt: String, _ error: CipherError) -> BullaError {
        switch error.code {
        case .weakParameters:
            BullaError(.passwordParameters, "\(attempt): its parameters are below the floor")
        case .absurdParameters:
            BullaError(.passwordParameters, "\(attempt): its parameters are above the ceiling")
        case .unavailable:
            BullaError(
                .unsupportedFormat,
                "\(attempt): Argon2id needs libcrypto 3.2 and a newer version of this library")
        case .malformed:
            BullaError(.corrupted, "\(attempt): its parameters are not what any version writes")
        case .memory where error.shortage == nil:
            BullaError(.outOfMemory, "\(attempt): there is no memory for it")
        default: .cipher(attempt, error)
        }
    }
}
