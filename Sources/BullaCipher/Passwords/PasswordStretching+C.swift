internal import BullaMemory
internal import CBullaCipher

extension PasswordStretching {
    /// Stretches with libcrypto.
    ///
    /// The caller has checked the parameters.
    static func stretch(
        _ stretching: PasswordStretching, _ password: ByteView, _ salt: ByteView,
        into stretched: MutableByteView
    ) throws(CipherError) {
        let password = unsafe bulla_bytes(base: password.base, byte_count: password.byteCount)
        let salt = unsafe bulla_bytes(base: salt.base, byte_count: salt.byteCount)
        switch stretching {
        case .scrypt(let logN, let r, let p):
            // SAFETY: every view is valid for its count.
            try CipherError.check(
                unsafe bulla_scrypt(
                    password, salt, 1 << UInt64(logN), UInt32(r), UInt32(p),
                    stretched.base, stretched.byteCount))
        case .pbkdf2(let iterations):
            // SAFETY: every view is valid for its count.
            try CipherError.check(
                unsafe bulla_pbkdf2(
                    password, salt, UInt32(iterations), stretched.base, stretched.byteCount))
        case .argon2id:
            throw CipherError(.unavailable)
        }
    }
}
