package import BullaMemory
internal import CBullaCipher

/// Derives keys from keys, and computes digests of bytes.
package enum KeyDerivation {
    /// HKDF-SHA-256, extract and expand.
    ///
    /// - Parameters:
    ///   - key: the input key material; at least one byte.
    ///   - salt: may be empty.
    ///   - info: what the new key is for; at most 1024 bytes.
    ///   - byteCount: 1 to 8160.
    /// - Source: RFC 5869.
    package static func hkdf(
        key: ByteView, salt: [UInt8], info: [UInt8], byteCount: Int
    ) throws(CipherError) -> SecretBytes {
        var derived = try SecretBytes.zeroed(byteCount: byteCount)
        try derived.withMutableView { view throws(CipherError) in
            try hkdf(key: key, salt: salt, info: info, into: view)
        }
        return derived
    }

    /// HKDF-SHA-256 that fills `derived`.
    static func hkdf(
        key: ByteView, salt: [UInt8], info: [UInt8], into derived: MutableByteView
    ) throws(CipherError) {
        try salt.withView { salt throws(CipherError) in
            try info.withView { info throws(CipherError) in
                // SAFETY: every view is valid for its count.
                try CipherError.check(
                    unsafe bulla_hkdf(
                        key.base, key.byteCount, salt.base, salt.byteCount,
                        info.base, info.byteCount, derived.base, derived.byteCount))
            }
        }
    }

    /// SHA-256.
    ///
    /// - Source: FIPS 180-4.
    package static func sha256(_ bytes: ByteView) throws(CipherError) -> Digest {
        try Digest { view throws(CipherError) in
            // SAFETY: `bytes` is valid for its count, and `view` has room for what SHA-256 writes.
            try CipherError.check(unsafe bulla_sha256(bytes.base, bytes.byteCount, view.base))
        }
    }
}

extension Digest {
    /// The digest that `body` writes into 32 bytes.
    init(_ body: (MutableByteView) throws(CipherError) -> Void) throws(CipherError) {
        self.init(try [UInt8](byteCount: Digest.byteCount, body))
    }
}

extension SecretBytes {
    package static func zeroed(
        byteCount: Int, budget: SecretBudget? = nil
    ) throws(CipherError) -> SecretBytes {
        do throws(MemoryError) {
            return try SecretBytes(byteCount: byteCount, budget: budget)
        } catch {
            throw CipherError(error)
        }
    }
}
