import BullaMemory
import CBullaCipher

extension Primitives {
    static func scrypt(
        password: [UInt8], salt: [UInt8], logN: Int, r: Int, p: Int, byteCount: Int
    ) -> (status: bulla_cipher_status, stretched: [UInt8]) {
        unsafe stretch(password, salt, byteCount) { password, salt, out in
            unsafe bulla_scrypt(
                password, salt, 1 << UInt64(logN), UInt32(r), UInt32(p), out, byteCount)
        }
    }

    static func pbkdf2(
        password: [UInt8], salt: [UInt8], iterations: Int, byteCount: Int
    ) -> (status: bulla_cipher_status, stretched: [UInt8]) {
        unsafe stretch(password, salt, byteCount) { password, salt, out in
            unsafe bulla_pbkdf2(password, salt, UInt32(iterations), out, byteCount)
        }
    }

    /// Derives into a buffer that is full of nonzero bytes, because a failed derivation must leave
    /// none of them.
    private static func stretch(
        _ password: [UInt8], _ salt: [UInt8], _ byteCount: Int,
        _ body: (bulla_bytes, bulla_bytes, UnsafeMutableRawPointer) -> bulla_cipher_status
    ) -> (status: bulla_cipher_status, stretched: [UInt8]) {
        let (password, salt) = (Bytes(password), Bytes(salt))
        let stretched = Bytes(count: byteCount, filledWith: 0xff)
        // SAFETY: every count is that of the bytes beside it.
        let status = unsafe body(
            bulla_bytes(base: password.view.base, byte_count: password.count),
            bulla_bytes(base: salt.view.base, byte_count: salt.count),
            stretched.mutableView.base)
        return (status, stretched.array)
    }
}

/// The C target's vault cipher, sealing under nonces that the test chooses.
@safe final class KnownVault {
    private let cipher: OpaquePointer

    init(key: [UInt8]) {
        precondition(key.count == Int(BULLA_KEY_BYTES), "a key has 32 bytes")
        var made: OpaquePointer?
        // SAFETY: the array is as long as a key must be.
        let status = unsafe bulla_vault_cipher_create(key, &made)
        guard status == BULLA_CIPHER_OK, let made = unsafe made else {
            preconditionFailure("libcrypto makes a cipher")
        }
        unsafe cipher = made
    }

    deinit { unsafe bulla_vault_cipher_destroy(cipher) }

    /// Seals into nonce, ciphertext and tag.
    func seal(
        nonce: [UInt8], context: [UInt8], plaintext: [UInt8]
    ) -> (status: bulla_cipher_status, sealed: [UInt8]) {
        var sealed = [UInt8](
            repeating: 0xff, count: plaintext.count + Int(BULLA_VAULT_EXTRA_BYTES))
        // SAFETY: every count is that of its array, and a nonce has 24 bytes.
        let status = unsafe bulla_vault_seal_under(
            cipher, nonce, context, context.count, plaintext, plaintext.count, &sealed)
        return (status, sealed)
    }

    /// Whether this length is refused before any byte is read.
    func refusesLength(_ byteCount: UInt32) -> Bool {
        let few = Bytes(count: 24)
        // SAFETY: a refusal reads and writes nothing; if the call is not refused, the test crashes.
        let status = unsafe bulla_vault_seal_under(
            cipher, few.view.base, few.view.base, 0, few.view.base, Int(byteCount),
            few.mutableView.base)
        return status == BULLA_CIPHER_BAD_ARGUMENT && few.array.allSatisfy { $0 == 0 }
    }

    func open(
        _ sealed: [UInt8], context: [UInt8]
    ) -> (status: bulla_cipher_status, plaintext: [UInt8]) {
        let count = max(0, sealed.count - Int(BULLA_VAULT_EXTRA_BYTES))
        var plaintext = [UInt8](repeating: 0xff, count: max(1, count))
        // SAFETY: every count is that of its array.
        let status = unsafe bulla_vault_open(
            cipher, context, context.count, sealed, sealed.count, &plaintext)
        return (status, Array(plaintext.prefix(count)))
    }
}

/// The C target's source of nonces.
@safe final class Nonces {
    private let nonces: OpaquePointer

    init() {
        var made: OpaquePointer?
        guard unsafe bulla_nonces_create(&made) == BULLA_CIPHER_OK, let made = unsafe made else {
            preconditionFailure("there is memory")
        }
        unsafe nonces = made
    }

    deinit { unsafe bulla_nonces_destroy(nonces) }

    var leftCount: Int { unsafe bulla_nonces_left(nonces) }

    func take(tick: UInt64) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: Int(BULLA_VAULT_NONCE_BYTES))
        let status = unsafe bulla_nonces_take(nonces, tick, &nonce)
        precondition(status == BULLA_CIPHER_OK, "the kernel has random bytes")
        return nonce
    }
}
