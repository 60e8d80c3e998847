internal import Glibc

/// Where people read messages: the standard error.
package enum Terminal {
    /// Somebody looks at it, and it can be drawn over.
    static var isInteractive: Bool {
        // SAFETY: the string is copied before the environment can change.
        let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) }
        return isatty(STDERR_FILENO) == 1 && kind != "dumb"
    }

    package static func write(_ text: String) {
        // Nothing depends on whether a message could be shown.
        try? Descriptor.standardError.write(Array(text.utf8))
    }
}

extension Descriptor {
    static let standardError = Descriptor(number: STDERR_FILENO)
}
