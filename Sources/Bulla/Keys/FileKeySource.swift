/// A secret in a file or a named pipe to which only its owner has rights.
///
/// The file must belong to the effective user or to the superuser, must give no rights to anybody
/// else (mode 0600 or stricter), and must not be a symbolic link. (The entries of `/proc/self/fd`
/// and `/dev/fd` are symbolic links too: use a ``DescriptorKeySource`` for an open descriptor.)
/// Bulla checks the file after opening it, so nobody can put another file in its place between the
/// check and the read.
public struct FileKeySource: KeySource {
    private let path: String
    private let trimsNewline: Bool
    private let timeout: Duration

    /// Makes a source that reads the file at a path.
    ///
    /// - Parameters:
    ///   - path: the file or the pipe.
    ///   - trimsNewline: whether to remove one newline at the end, which editors add. Pass `false`
    ///     for random bytes: one key in 256 ends with the byte of a newline.
    ///   - timeout: how long to wait for a pipe's end.
    public init(
        _ path: String, trimsNewline: Bool = true, timeout: Duration = .seconds(30)
    ) {
        self.path = path
        self.trimsNewline = trimsNewline
        self.timeout = timeout
    }

    /// The source's name in messages: `file` and its path.
    public var name: String { "file \(path)" }

    /// Reads the file, or the pipe to its end.
    ///
    /// - Throws: `keySourceMissing`; `keyFileLink`; `keyFileOwner`; `keyFileMode`;
    ///   `keySourceDenied` if this process may not open it; `invalidArgument` for a directory, a
    ///   device or a socket, and for a secret that is too long; `keySourceEmpty`; `busy` if a pipe
    ///   does not end in time; `io`.
    public func load() throws(BullaError) -> Secret {
        let file = try KeyFile.openOwned(path, name: name, kinds: .filesAndPipes)
        return try SecretText.reading(
            descriptor: file.descriptor, name: name, timeout: timeout
        ).secret(trimsNewline: trimsNewline)
    }
}
