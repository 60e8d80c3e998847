/// How a service connects to the database that keeps its records, if they are in a database.
package struct DatabaseSettings: Hashable, Sendable {
    /// The name of the database's host, or the folder of its socket; empty if the records are in a
    /// store of this machine.
    package var host = ""
    package var port = 5_432
    package var name = ""
    package var user = ""
    /// A file with the password; empty if the server asks for none.
    package var passwordFile = ""
    /// A PEM file of authorities, one of which must have signed the server's certificate; only for
    /// a host, not for the folder of a socket.
    package var authoritiesFile = ""
    /// The most connections at once, and the most calls that wait for one.
    package var connectionCount = 8
    package var waiterCount = 256
    /// How long a connection, a statement or a lock may take, in seconds.
    package var secondLimit = 10
    /// Whether each connection prepares a statement only once; some poolers do not allow that.
    package var preparesStatements = true

    package init() {}

    /// Whether a database keeps the records.
    package var isUsed: Bool { !host.isEmpty }

    /// Whether the host is the folder of a socket on this machine.
    package var isLocal: Bool { host.hasPrefix("/") }

    /// What tells the database from all others.
    var place: [String] { [host, String(port), name] }

    /// - Parameter path: where these settings are.
    func check(_ path: String) throws(SettingsFault) {
        guard isUsed else {
            guard self == DatabaseSettings() else {
                throw SettingsFault("\(path): without \(path).host, nothing else is expected")
            }
            return
        }
        guard !name.isEmpty, !user.isEmpty else {
            throw SettingsFault("\(path): a host, a name and a user go together")
        }
        guard isLocal == authoritiesFile.isEmpty else {
            throw SettingsFault(
                "\(path).authorities: expected for a host, and not for the folder of a socket")
        }
    }
}
