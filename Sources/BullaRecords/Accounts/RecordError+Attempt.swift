internal import Bulla
package import BullaCipher
package import BullaMemory

extension RecordError {
    /// Runs an operation of the accounts' keyring, and converts its errors.
    @discardableResult
    static func attempt<R>(
        _ attempt: String, _ body: () throws -> R
    ) throws(RecordError) -> R {
        do { return try body() } catch { throw refined(error, attempt) }
    }

    /// The record layer's error for an error of the keyring's store, its ciphers or its memory.
    static func refined(_ error: any Error, _ attempt: String) -> RecordError {
        if let error = error as? RecordError { return error }
        if let error = error as? CipherError { return .cipher(attempt, error) }
        if error is MemoryError {
            return RecordError(.unavailable, "\(attempt): no memory could be locked")
        }
        guard let error = error as? BullaError else {
            return RecordError(.internalError, "\(attempt): \(error)")
        }
        let code: RecordError.Code =
            switch error.code {
            // `keySlotNotFound`: a raw key was tried on a password's slot, or the other way round.
            case .wrongKey, .keySlotNotFound: .authenticationFailed
            case .invalidArgument, .invalidKeyLength, .passwordParameters: .invalidArguments
            case .busy, .full, .readersFull, .notYetDurable, .outOfMemory: .unavailable
            case .corrupted, .sealDamaged, .otherVault: .damaged
            default: .internalError
            }
        guard code != .authenticationFailed else {
            return RecordError(code, "\(attempt): the password or key is wrong")
        }
        return RecordError(error, attempt, code)
    }
}

extension SecretBytes {
    /// Bytes from the kernel's random source.
    package static func random(byteCount: Int) throws(CipherError) -> SecretBytes {
        var secret = try SecretBytes.zeroed(byteCount: byteCount)
        try secret.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
        return secret
    }
}

extension Vault {
    /// Seals a secret without copying it.
    func seal(
        _ secret: borrowing SecretBytes, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] {
        try secret.withView { view throws(BullaError) in
            try view.withSpan { span throws(BullaError) in try seal(span, for: identity) }
        }
    }
}
