internal import BullaMemory

/// One half of a 64-byte key.
///
/// The first is for AES-256, the second for HMAC-SHA-256; neither is used for the other's purpose.
enum KeyHalf {
    case first, second

    static let byteCount = 32
    static let bothByteCount = 2 * byteCount

    var offset: Int {
        switch self {
        case .first: 0
        case .second: Self.byteCount
        }
    }
}

extension SecretBytes {
    /// A 32-byte key for one purpose, from one half.
    borrowing func derive(
        from half: KeyHalf, salt: [UInt8], info: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        try checkIntact()
        return try withView { both throws(CipherError) in
            try KeyDerivation.hkdf(
                key: both.slice(half.offset, KeyHalf.byteCount), salt: salt, info: info,
                byteCount: KeyHalf.byteCount)
        }
    }

    /// Throws if the bytes are no longer the secret.
    ///
    /// A child after a fork does not have it, and a wiped secret is all zeros.
    borrowing func checkIntact() throws(CipherError) {
        guard isIntact else { throw CipherError(.memory) }
    }

    /// A copy with its own owner.
    borrowing func copied() throws(CipherError) -> SecretBytes {
        try checkIntact()
        var copy = try SecretBytes.zeroed(byteCount: byteCount)
        withView { source in copy.withMutableView { $0.copy(source, to: 0) } }
        return copy
    }
}
