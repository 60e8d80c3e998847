/// A secret that is read from an open descriptor to its end: a pipe from a secret manager, or a
/// file that a parent process has opened.
///
/// The file is not checked, because the process that opened it vouches for it. The secret can be
/// read only once; after that, a pipe is empty and a file is at its end.
public struct DescriptorKeySource: KeySource {
    private let descriptor: Int32
    private let trimsNewline: Bool
    private let timeout: Duration

    /// Makes a source that reads an open file, pipe or socket, which stays open.
    ///
    /// - Parameters:
    ///   - descriptor: the number of the open descriptor.
    ///   - trimsNewline: whether to remove one newline at the end. Pass `false` for random bytes.
    ///   - timeout: how long to wait for the input to end.
    public init(
        _ descriptor: Int32, trimsNewline: Bool = true, timeout: Duration = .seconds(30)
    ) {
        self.descriptor = descriptor
        self.trimsNewline = trimsNewline
        self.timeout = timeout
    }

    /// The source's name in messages: `descriptor` and its number.
    public var name: String { "descriptor \(descriptor)" }

    /// Reads the descriptor to its end.
    ///
    /// - Throws: `keySourceMissing` if the descriptor is not open; `keySourceEmpty`;
    ///   `invalidArgument` for a secret that is too long; `busy` if the end does not come in time;
    ///   `io`.
    public func load() throws(BullaError) -> Secret {
        guard KeyFile.isOpen(descriptor) else { throw .missing(name, "it is not open") }
        return try SecretText.reading(
            descriptor: descriptor, name: name, timeout: timeout
        ).secret(trimsNewline: trimsNewline)
    }
}
