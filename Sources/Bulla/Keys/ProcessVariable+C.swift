internal import Glibc

/// The environment variables of this process.
enum ProcessVariable {
    static func text(_ variable: String) -> String? {
        // SAFETY: the string is copied at once.
        unsafe getenv(variable).map { unsafe String(cString: $0) }
    }

    /// Copies the variable's bytes without a `String` in between; `nil` if it is not set.
    static func secret(_ variable: String, name: String) throws(BullaError) -> Secret? {
        guard let value = unsafe getenv(variable) else { return nil }
        // SAFETY: the bytes up to the zero are copied at once.
        return try unsafe Secret(
            RawSpan(_unsafeStart: UnsafeRawPointer(value), byteCount: strlen(value)), name: name)
    }
}
