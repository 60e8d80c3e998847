internal import Glibc

/// The system's words for its numbers.
enum SystemMessage {
    /// What an `errno` means.
    static func text(_ code: Int32) -> String {
        // SAFETY: the string is copied before anything else can ask for one.
        unsafe String(cString: strerror(code)) + " (errno \(code))"
    }

    /// What a signal is called.
    static func signal(_ number: Int32) -> String {
        // SAFETY: the string is copied before anything else can ask for one.
        unsafe strsignal(number).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
