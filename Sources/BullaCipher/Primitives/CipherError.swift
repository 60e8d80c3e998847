package import BullaMemory

/// Why something was not sealed, opened or derived.
///
/// It contains no bytes of a file or a key. A caller that knows the file and the page puts them
/// into its own error.
package struct CipherError: Error, Equatable {
    package enum Code: Sendable {
        /// A length or a suite that the cipher does not work with.
        case badArgument
        /// The bytes are forged or torn, or were sealed for another place.
        case badTag
        /// The page, validly sealed or not, is not the version that its parent names.
        case staleCheck
        /// libcrypto refused, or lacks an algorithm.
        case library
        /// The kernel gave no random bytes.
        case random
        /// There is no memory, or none that can be locked; or the secret was wiped, or this process
        /// is a child of a fork and does not have the secret.
        case memory
        /// An algorithm or a version that this Bulla or this libcrypto lacks; a newer one may have
        /// it.
        case unavailable
        /// Parameters with so few rounds or so little memory that passwords could be guessed.
        case weakParameters
        /// Parameters with so many rounds or so much memory that a forged file could keep its
        /// reader busy.
        case absurdParameters
        /// Bytes that no writer of this format writes.
        case malformed
        /// Sealed in another vault, or in another epoch of this vault.
        case foreign
        /// A key has sealed as much as it may.
        case exhausted
    }

    package let code: Code
    /// Which page of a batch failed, counted from zero; `nil` outside a batch.
    package let index: Int?
    /// The memory error that caused this error; `nil` if none did.
    package let shortage: MemoryError?

    package init(_ code: Code, index: Int? = nil) {
        self.code = code
        self.index = index
        shortage = nil
    }

    package init(_ error: MemoryError) {
        code = .memory
        index = nil
        shortage = error
    }
}
