package import BullaMemory
internal import CBullaCipher

/// A private key and its public key: for agreement by X25519 (RFC 7748), or for signatures by
/// Ed25519 (RFC 8032).
package struct KeyPair: ~Copyable, Sendable {
    package enum Kind: Sendable {
        case agreement, signature

        fileprivate var number: bulla_pair_kind {
            self == .agreement ? BULLA_PAIR_AGREEMENT : BULLA_PAIR_SIGNATURE
        }
    }

    package static let keyByteCount = 32
    package static let signatureByteCount = 64

    private let kind: Kind
    private let secret: SecretBytes
    /// The public key: 32 bytes, which are not secret.
    package let publicKey: [UInt8]

    /// - Parameter secret: any 32 random bytes; use them only for pairs of this kind.
    package init(_ kind: Kind, _ secret: consuming SecretBytes) throws(CipherError) {
        precondition(secret.byteCount == Self.keyByteCount, "a private key has 32 bytes")
        let publicKey = try Self.publicKey(kind, secret)
        (self.kind, self.publicKey) = (kind, publicKey)
        self.secret = secret
    }

    private static func publicKey(
        _ kind: Kind, _ secret: borrowing SecretBytes
    ) throws(CipherError) -> [UInt8] {
        try secret.checkIntact()
        return try secret.withView { secret throws(CipherError) in
            try [UInt8](byteCount: keyByteCount) { key throws(CipherError) in
                // SAFETY: both have 32 bytes.
                try CipherError.check(
                    unsafe bulla_pair_public(kind.number, secret.base, key.base))
            }
        }
    }

    /// A new pair.
    package static func random(_ kind: Kind) throws(CipherError) -> KeyPair {
        var secret = try SecretBytes.zeroed(byteCount: keyByteCount)
        try secret.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
        return try KeyPair(kind, secret)
    }

    /// The 32 bytes on which this pair agrees with the owner of the public key `other`.
    ///
    /// They must go through HKDF before they serve as a key.
    ///
    /// - Throws: ``CipherError/Code/badTag`` for a public key with which every agreement gives
    ///   zeros.
    package borrowing func agree(with other: [UInt8]) throws(CipherError) -> SecretBytes {
        precondition(kind == .agreement, "a pair for signatures agrees on nothing")
        guard other.count == Self.keyByteCount else { throw CipherError(.badArgument) }
        try secret.checkIntact()
        var agreed = try SecretBytes.zeroed(byteCount: Self.keyByteCount)
        try secret.withView { secret throws(CipherError) in
            try agreed.withMutableView { agreed throws(CipherError) in
                try other.withView { other throws(CipherError) in
                    // SAFETY: all have 32 bytes.
                    try CipherError.check(
                        unsafe bulla_pair_agree(secret.base, other.base, agreed.base))
                }
            }
        }
        return agreed
    }

    /// Wipes the private key; from now on, agreeing and signing throw
    /// ``CipherError/Code/memory``.
    package borrowing func wipe() { secret.wipe() }

    /// Signs a message, and returns the 64 bytes of the signature.
    package borrowing func sign(_ message: ByteView) throws(CipherError) -> [UInt8] {
        precondition(kind == .signature, "a pair for agreement signs nothing")
        try secret.checkIntact()
        return try secret.withView { secret throws(CipherError) in
            try [UInt8](byteCount: Self.signatureByteCount) { signature throws(CipherError) in
                // SAFETY: every view is valid for its count.
                try CipherError.check(
                    unsafe bulla_pair_sign(
                        secret.base, message.base, message.byteCount, signature.base))
            }
        }
    }
}

/// Checks signatures, which needs no secret, and signs with P-256 keys.
package enum Signature {
    /// Checks an Ed25519 signature.
    ///
    /// - Throws: ``CipherError/Code/badTag`` if this key did not sign this message.
    package static func verify(
        _ signature: [UInt8], of message: ByteView, by publicKey: [UInt8]
    ) throws(CipherError) {
        guard signature.count == KeyPair.signatureByteCount,
            publicKey.count == KeyPair.keyByteCount
        else { throw CipherError(.badTag) }
        try signature.withView { signature throws(CipherError) in
            try publicKey.withView { key throws(CipherError) in
                // SAFETY: every view is valid for its count.
                try CipherError.check(
                    unsafe bulla_pair_verify(
                        key.base, message.base, message.byteCount, signature.base))
            }
        }
    }

    /// Signs by ECDSA over P-256 with SHA-256.
    ///
    /// - Parameter privateKey: ECPrivateKey or PKCS #8, in DER.
    /// - Returns: the signature in DER.
    /// - Throws: ``CipherError/Code/badArgument`` if the key is not of that curve.
    /// - Source: FIPS 186-5; RFC 5915; RFC 5958.
    package static func signP256(
        _ message: ByteView, with privateKey: ByteView
    ) throws(CipherError) -> [UInt8] {
        var byteCount = 0
        let room = Int(BULLA_P256_SIGNATURE_BYTE_LIMIT)
        let signature = try [UInt8](byteCount: room) { signature throws(CipherError) in
            // SAFETY: every view is valid for its count, and the last has room for a signature.
            try CipherError.check(
                unsafe bulla_p256_sign(
                    run(privateKey), run(message), signature.base, &byteCount))
        }
        return Array(signature.prefix(byteCount))
    }

    /// Checks a signature by ECDSA over P-256 with SHA-256.
    ///
    /// - Parameters:
    ///   - signature: DER.
    ///   - publicKey: SubjectPublicKeyInfo in DER.
    /// - Throws: ``CipherError/Code/badTag`` if this key did not sign this message,
    ///   ``CipherError/Code/badArgument`` if the key is not of that curve.
    /// - Source: FIPS 186-5; RFC 5480.
    package static func verifyP256(
        _ signature: [UInt8], of message: ByteView, by publicKey: [UInt8]
    ) throws(CipherError) {
        try signature.withView { signature throws(CipherError) in
            try publicKey.withView { key throws(CipherError) in
                // SAFETY: every view is valid for its count.
                try CipherError.check(
                    unsafe bulla_p256_verify(run(key), run(message), run(signature)))
            }
        }
    }

    /// Whether the bytes are a public key of P-256, as SubjectPublicKeyInfo in DER.
    package static func isP256Key(_ bytes: [UInt8]) -> Bool {
        do throws(CipherError) {
            try [UInt8]().withView { nothing throws(CipherError) in
                try verifyP256([], of: nothing, by: bytes)
            }
            return true
        } catch { return error.code == .badTag }
    }

    private static func run(_ view: ByteView) -> bulla_bytes {
        unsafe bulla_bytes(base: view.base, byte_count: view.byteCount)
    }
}
