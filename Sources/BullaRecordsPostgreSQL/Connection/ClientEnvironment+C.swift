#if PostgreSQL
internal import Glibc

/// The variables by which libpq can be configured behind its caller's back.
enum ClientEnvironment {
    /// Removes all variables whose names begin with `PG`, once in the life of the process.
    ///
    /// libpq takes from them whatever its caller does not give explicitly: hosts, users,
    /// certificates, options of a session. A caller cannot override all of these variables: for
    /// some, such as the one that gives a host's address in addition to its name, there is no value
    /// that means "none".
    static func clear() { cleared }

    private static let cleared: Void = {
        var names: [String] = []
        var entry = unsafe environ
        // SAFETY: the array ends with a null pointer, and each string with a zero. No variable is
        // removed before the loop has ended.
        while let text = unsafe entry.pointee {
            let name = unsafe String(cString: text).prefix { $0 != "=" }
            if name.hasPrefix("PG") { names.append(String(name)) }
            unsafe entry += 1
        }
        // SAFETY: the call reads a name. glibc moves the entries of the array and frees none, so a
        // thread that looks a variable up meanwhile reads valid memory.
        for name in names { _ = unsafe unsetenv(name) }
    }()
}
#endif
