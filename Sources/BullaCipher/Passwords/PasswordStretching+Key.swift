package import BullaMemory

/// A function that stretches a password and a salt into 32 bytes.
package typealias PasswordStretcher = (
    _ stretching: PasswordStretching, _ password: ByteView, _ salt: ByteView,
    _ stretched: MutableByteView
) throws(CipherError) -> Void

extension PasswordStretching {
    /// PBKDF2 must not give more bytes than this, which is one block.
    ///
    /// Each further block would cost the defender the full time again. It would cost an attacker
    /// nothing, because the first block reveals a right guess.
    private static let stretchedByteCount = 32
    private static let info = Array("bulla password key v1".utf8)

    /// The key to which a password is stretched: HKDF-SHA-256 of the 32 stretched bytes, with the
    /// salt that was also used for stretching.
    ///
    /// - Parameters:
    ///   - password: 1 to 1024 bytes, used as they are, without normalization or a final zero.
    ///   - salt: 32 random bytes, for this slot alone.
    /// - Throws: what ``check()`` throws, or ``CipherError/Code/badArgument`` if a length is wrong,
    ///   in both cases before any work is done or memory taken; ``CipherError/Code/memory`` if
    ///   scrypt gets none.
    /// - Complexity: depends on the parameters; the recommended ones take 128 MiB and a few tenths
    ///   of a second.
    /// - Source: RFC 7914, RFC 8018, RFC 5869.
    package func userKey(password: ByteView, salt: [UInt8]) throws(CipherError) -> UserKey {
        try userKey(password: password, salt: salt, stretcher: Self.stretch)
    }

    /// The key to which a password in secret memory is stretched.
    ///
    /// - Throws: ``CipherError/Code/memory`` if the password was wiped, or if this process is a
    ///   child after a fork and does not have it; otherwise as ``userKey(password:salt:)``.
    package func userKey(
        password: borrowing SecretBytes, salt: [UInt8]
    ) throws(CipherError) -> UserKey {
        guard password.isIntact else { throw CipherError(.memory) }
        return try password.withView { password throws(CipherError) in
            try userKey(password: password, salt: salt)
        }
    }

    /// The key to which the given function stretches a password; a test can count the calls.
    package func userKey(
        password: ByteView, salt: [UInt8], stretcher: PasswordStretcher
    ) throws(CipherError) -> UserKey {
        try check()
        guard (1...Self.passwordByteLimit).contains(password.byteCount),
            salt.count == Self.saltByteCount
        else { throw CipherError(.badArgument) }
        var stretched = try SecretBytes.zeroed(byteCount: Self.stretchedByteCount)
        try stretched.withMutableView { stretched throws(CipherError) in
            try salt.withView { salt throws(CipherError) in
                try stretcher(self, password, salt, stretched)
            }
        }
        return UserKey(
            try stretched.withView { stretched throws(CipherError) in
                try KeyDerivation.hkdf(
                    key: stretched, salt: salt, info: Self.info, byteCount: UserKey.byteCount)
            })
    }
}
