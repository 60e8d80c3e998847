/// A secret that is read from an open descriptor to its end: a pipe from a secret manager, or a
/// file that a parent has opened.
///
/// Nothing is asked of the file behind it: whoever opened it has answered for that. It can be read
/// once; after that a pipe is empty, and a file stands at its end.
public struct DescriptorKeySource: KeySource {
    private let descriptor: Int32
    private let trimsNewline: Bool
    private let timeout: Duration

    /// An open file, pipe or socket, which stays open.
    ///
    /// - Parameters:
    ///   - descriptor: its number.
    ///   - trimsNewline: whether one newline at the end is taken off. Say `false` for random bytes.
    ///   - timeout: how long to wait for its end.
    public init(
        _ descriptor: Int32, trimsNewline: Bool = true, timeout: Duration = .seconds(30)
    ) {
        self.descriptor = descriptor
        self.trimsNewline = trimsNewline
        self.timeout = timeout
    }

    /// The descriptor, by its number.
    public var name: String { "descriptor \(descriptor)" }

    /// Reads the descriptor to its end.
    ///
    /// - Throws: `keySourceMissing` where nothing is open under that number; `keySourceEmpty`;
    ///   `invalidArgument` for a secret that is too long; `busy` when the end does not come in
    ///   time; `io`.
    public func load() throws(BullaError) -> Secret {
        guard KeyFile.isOpen(descriptor) else { throw .missing(name, "it is not open") }
        return try SecretText.reading(
            descriptor: descriptor, name: name, timeout: timeout
        ).secret(trimsNewline: trimsNewline)
    }
}
