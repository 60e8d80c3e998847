internal import CBullaShared
internal import Glibc

/// Opens key files to which no other user has rights.
extension KeyFile {
    /// The kinds of file that a secret can come from.
    enum Kinds {
        case filesAndPipes
        /// Only files; an access list may give this user the right to read.
        case filesWithAccessLists
    }

    /// Opens a file that belongs to this user or to the superuser, and to which no other user has
    /// rights.
    ///
    /// - Throws: `keySourceMissing`, `keySourceDenied`, `keyFileLink`, `keyFileOwner`,
    ///   `keyFileMode`; `invalidArgument` for a kind of file that is not allowed; `io`.
    static func openOwned(
        _ path: String, name: String, kinds: Kinds
    ) throws(BullaError) -> KeyFile {
        guard !path.utf8.contains(0) else { throw .badName("file", "its path has a zero byte") }
        // O_NONBLOCK opens a pipe at once even if it has no writer; the wait for a writer comes
        // later, and has a limit.
        let descriptor = unsafe bulla_open(
            path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw refusedOpening(path, name: name, errno) }
        let file = KeyFile(descriptor: descriptor)
        let about = try file.look(path)
        try checkKind(about.st_mode, path)
        guard kinds == .filesAndPipes || about.st_mode & S_IFMT == S_IFREG else {
            throw refused(path, "it is a pipe")
        }
        try checkOwner(about.st_uid, path)
        let isListed =
            kinds == .filesWithAccessLists && about.st_mode & 0o007 == 0
            && bulla_access_list_is_of(descriptor, geteuid()) == 1
        if !isListed { try checkMode(about.st_mode & 0o777, path, .keyFileMode) }
        return file
    }

    private static func refusedOpening(
        _ path: String, name: String, _ number: Int32
    ) -> BullaError {
        switch number {
        case ENOENT: .missing(name, "there is no such file", errno: number)
        case ELOOP:
            BullaError(
                .keyFileLink, "open key file \(path): it is a symbolic link, expected the file",
                errno: number)
        case EACCES, EPERM:
            BullaError(
                .keySourceDenied, "open key file \(path): this process may not read it",
                errno: number)
        // A socket cannot be opened at all.
        case ENXIO: refused(path, "it is a socket or a device")
        default: .system("open key file \(path)", number)
        }
    }

    /// Whether a descriptor number is open.
    static func isOpen(_ descriptor: Int32) -> Bool {
        var about = stat()
        // SAFETY: `about` is written by the call.
        return unsafe fstat(descriptor, &about) == 0 || errno != EBADF
    }
}
