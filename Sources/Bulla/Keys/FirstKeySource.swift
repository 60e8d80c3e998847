/// Asks several sources, in the order that the caller gives, until one has a secret.
///
/// The next source is asked only if the one before it reports that its secret is *missing*. A
/// source that is unsafe, denied, expired, empty or broken ends the search with its own error. So
/// damaging a stronger source cannot make the caller use a weaker one; only removing its secret
/// can.
public struct FirstKeySource: KeySource {
    private let sources: [any KeySource]

    /// Makes a source that asks the given sources in order.
    public init(_ sources: [any KeySource]) { self.sources = sources }

    /// The names of all sources.
    public var name: String { sources.map { $0.name }.joined(separator: ", or ") }

    /// Takes the secret of the first source that has one.
    ///
    /// - Throws: `keySourceMissing` if none has one; any other error of a source.
    public func load() throws(BullaError) -> Secret {
        for source in sources {
            do {
                return try source.load()
            } catch {
                guard error.code == .keySourceMissing else { throw error }
            }
        }
        throw sources.isEmpty
            ? .missing("a list of sources", "it is empty") : .missing(name, "none of these has one")
    }
}
