/// A place that a secret comes from, such as a file, a keyring or a person at a terminal.
///
/// Each ``load()`` asks the source anew. A source keeps nothing and never falls back on another:
/// each refusal is an error of its own. A caller that accepts several places names them in order,
/// with a ``FirstKeySource``.
///
/// ```swift
/// let source = FirstKeySource([CredentialKeySource("ledger"), FileKeySource("/etc/ledger.key")])
/// let password = try source.load()
/// ```
///
/// A program's own source reports with a ``BullaError`` why it has no secret:
///
/// ```swift
/// struct ManagerKeySource: KeySource {
///     let name: String
///     /// Asks the secret manager; `nil` if it has no secret of that name.
///     let fetch: @Sendable (_ name: String) -> [UInt8]?
///
///     func load() throws(BullaError) -> Secret {
///         guard let bytes = fetch(name) else {
///             throw BullaError(.keySourceMissing, "take a secret from \(name): it has none")
///         }
///         return try bytes.withBytes { bytes throws(BullaError) in try Secret(bytes) }
///     }
/// }
/// ```
public protocol KeySource: Sendable {
    /// The name of the source in messages; it never contains any part of the secret.
    var name: String { get }

    /// Takes the secret.
    ///
    /// The call can wait for a pipe's end or for a person at a terminal, and blocks its thread
    /// meanwhile.
    ///
    /// - Throws: `keySourceMissing` if there is no secret (a ``FirstKeySource`` goes on only after
    ///   this error); `keySourceEmpty`; `invalidArgument` for more than ``Secret/byteLimit`` bytes;
    ///   and what the source documents.
    func load() throws(BullaError) -> Secret
}

extension BullaError {
    /// The error for a source that finds nothing.
    static func missing(_ name: String, _ what: String, errno: Int32? = nil) -> BullaError {
        BullaError(.keySourceMissing, "take a secret from \(name): \(what)", errno: errno)
    }

    /// The error for a name that no file, variable or key can have.
    static func badName(_ name: String, _ what: String) -> BullaError {
        BullaError(.invalidArgument, "take a secret from \(name): \(what)")
    }
}
