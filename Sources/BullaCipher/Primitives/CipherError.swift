internal import BullaMemory

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
        /// No memory, or a secret that a fork has wiped.
        case memory
    }

    package let code: Code
    /// Which page of a batch failed, counted from zero; `nil` outside a batch.
    package let index: Int?

    package init(_ code: Code, index: Int? = nil) {
        self.code = code
        self.index = index
    }

    init(_ error: MemoryError) {
        self.init(.memory)
    }
}
