internal import Glibc

/// The libcrypto that this very process has loaded.
enum CryptoLibrary {
    private typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?

    /// As `OpenSSL 3.0.17 1 Jul 2025`; nil where there is none.
    static var version: String? {
        // SAFETY: a null path means the program itself; the function has had this type since 1.1.0.
        guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "OpenSSL_version") else {
            return nil
        }
        let function = unsafe unsafeBitCast(symbol, to: Version.self)
        return unsafe function(0).map { unsafe String(cString: $0) }
    }
}
