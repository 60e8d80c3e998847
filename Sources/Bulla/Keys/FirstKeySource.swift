/// The first of several sources that has a secret, in the order that the caller gives.
///
/// The next one is asked only where a source says that it is *missing*. One that is unsafe, denied,
/// expired, empty or broken ends the search with its own error: whoever damages a source does not
/// get the caller to take a weaker one.
public struct FirstKeySource: KeySource {
    private let sources: [any KeySource]

    /// Sources in the order in which they are asked.
    public init(_ sources: [any KeySource]) { self.sources = sources }

    /// The names of all sources.
    public var name: String { sources.map { $0.name }.joined(separator: ", or ") }

    /// Takes the secret of the first source that has one.
    ///
    /// - Throws: `keySourceMissing` where none has one; what any source throws besides.
    public func load() throws(BullaError) -> Secret {
        for source in sources {
            do {
                return try source.load()
            } catch {
                guard error.code == .keySourceMissing else { throw error }
            }
        }
        throw sources.isEmpty
            ? .missing("no source", "none was given") : .missing(name, "there is none")
    }
}
