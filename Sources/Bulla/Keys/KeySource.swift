/// A place that a secret comes from: a file, a keyring, somebody at a terminal.
///
/// A source is asked anew with each ``load()``, keeps nothing, and never falls back on another:
/// each refusal is an error of its own. Where several places will do, the caller says so, and in
/// which order, with a ``FirstKeySource``.
///
/// ```swift
/// let source = FirstKeySource([CredentialKeySource("ledger"), FileKeySource("/etc/ledger.key")])
/// let password = try source.load()
/// ```
public protocol KeySource: Sendable {
    /// What the source is called in messages; never anything of the secret.
    var name: String { get }

    /// Takes the secret.
    ///
    /// May wait, for a pipe's end or for somebody at a terminal, and blocks its thread meanwhile.
    ///
    /// - Throws: `keySourceMissing` where there is nothing, which alone has a ``FirstKeySource`` go
    ///   on; `keySourceEmpty`; `invalidArgument` for more than ``Secret/byteLimit`` bytes; and what
    ///   each source says.
    func load() throws(BullaError) -> Secret
}

extension BullaError {
    /// Nothing is where a source looks.
    static func missing(_ name: String, _ what: String, errno: Int32? = nil) -> BullaError {
        BullaError(.keySourceMissing, "take a secret from \(name): \(what)", errno: errno)
    }

    /// A name that cannot be that of a file, a variable or a key.
    static func badName(_ name: String, _ what: String) -> BullaError {
        BullaError(.invalidArgument, "take a secret from \(name): \(what)")
    }
}
