package import BullaMemory

/// Why something was not sealed, opened or derived.
///
/// It holds no bytes of anybody. Who knows the file and the page adds them.
package struct CipherError: Error, Equatable {
    package enum Code: Sendable {
        /// A length or a suite is not what the cipher works with.
        case badArgument
        /// The bytes are forged, torn, or were sealed elsewhere.
        case badTag
        /// Validly sealed or not, it is not the version that its parent names.
        case staleCheck
        /// libcrypto refused, or lacks an algorithm.
        case library
        /// The kernel gave no random bytes.
        case random
        /// No memory, none that can be locked, or a secret that was wiped, or that this process, a
        /// child of a fork, does not have.
        case memory
        /// An algorithm or a version that a newer Bulla or libcrypto may have.
        case unavailable
        /// So few rounds or so little memory that passwords could be guessed.
        case weakParameters
        /// So many rounds or so much memory that whoever writes a file could keep its reader busy.
        case absurdParameters
        /// Bytes that no writer of this format writes.
        case malformed
        /// Sealed in another vault, or in another epoch of it.
        case foreign
        /// A key has sealed as much as it may.
        case exhausted
    }

    package let code: Code
    /// Which page of a batch failed, counted from zero; `nil` outside a batch.
    package let index: Int?
    /// Why there is no memory; `nil` where it is not memory that is missing, and where libcrypto
    /// did not say.
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
