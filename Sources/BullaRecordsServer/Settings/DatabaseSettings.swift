/// How a service connects to the database that keeps its records, if they are in a database.
package struct DatabaseSettings: Hashable, Sendable {
    /// The name of the database's host, or the folder of its socket; empty if the records are in a
    /// store on this machine.
    package var host = ""
    package var port = 5_432
    package var name = ""
    package var user = ""
    /// The path of a file with the password; empty if the server asks for none.
    package var passwordFile = ""
    /// A PEM file of authorities, one of which must have signed the server's certificate; required
    /// if `host` is a name, and refused if `host` is the folder of a socket.
    package var authoritiesFile = ""
    /// The maximum numbers of connections at once, and of calls that may wait for one.
    package var connectionCount = 8
    package var waiterCount = 256
    /// How many seconds it may take to connect, to run a statement, or to wait for a lock.
    package var secondLimit = 10
    /// Whether statements are prepared, once for each connection; some poolers do not support that.
    package var preparesStatements = true

    package init() {}

    /// Whether a database keeps the records.
    package var isUsed: Bool { !host.isEmpty }

    /// Whether the host is the folder of a socket on this machine.
    package var isLocal: Bool { host.hasPrefix("/") }

    /// Identifies the database among all others.
    var place: [String] { [host, String(port), name] }

    /// - Parameter path: the path of these settings, which error messages name.
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
