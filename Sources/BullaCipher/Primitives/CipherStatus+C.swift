internal import CBullaCipher

extension CipherError {
    /// Throws the error that a status from C stands for.
    static func check(_ status: bulla_cipher_status, index: Int? = nil) throws(CipherError) {
        guard status != BULLA_CIPHER_OK else { return }
        throw CipherError(code(of: status), index: index)
    }

    private static func code(of status: bulla_cipher_status) -> Code {
        switch status {
        case BULLA_CIPHER_BAD_ARGUMENT: .badArgument
        case BULLA_CIPHER_BAD_TAG: .badTag
        case BULLA_CIPHER_STALE_CHECK: .staleCheck
        case BULLA_CIPHER_RANDOM: .random
        case BULLA_CIPHER_MEMORY: .memory
        case BULLA_CIPHER_UNAVAILABLE: .unavailable
        default: .library
        }
    }
}
