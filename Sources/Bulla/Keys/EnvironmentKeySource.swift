public import Logging

/// A secret in an environment variable, for callers that cannot pass it in any other way.
///
/// No other source falls back on the environment: only a caller that names this source gets the
/// secret. Every process of the same user can read this process's environment
/// (`/proc/PID/environ`), every child inherits it, and it often ends up in logs and crash reports.
/// The variable cannot be wiped.
public struct EnvironmentKeySource: KeySource {
    private let variable: String
    private let logger: Logger

    /// Makes a source that reads an environment variable.
    ///
    /// - Parameters:
    ///   - variable: its name.
    ///   - logger: gets a warning from each ``load()`` that finds a secret there.
    public init(_ variable: String, logger: Logger = Logger(label: "bulla.keys")) {
        self.variable = variable
        self.logger = logger
    }

    /// The source's name in messages: `environment variable` and its name.
    public var name: String { "environment variable \(variable)" }

    /// Copies the variable's bytes exactly as they are.
    ///
    /// - Throws: `keySourceMissing` if the variable is not set; `keySourceEmpty`; `invalidArgument`
    ///   for a name that no variable can have, and for a secret that is too long.
    public func load() throws(BullaError) -> Secret {
        guard !variable.isEmpty,
            !variable.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == 0 })
        else { throw .badName(name, "no variable can have such a name") }
        guard let secret = try ProcessVariable.secret(variable, name: name) else {
            throw .missing(name, "it is not set")
        }
        logger.warning(
            """
            a secret comes from the environment, which other processes of this user can read and \
            children inherit
            """, metadata: ["variable": "\(variable)"])
        return secret
    }
}
