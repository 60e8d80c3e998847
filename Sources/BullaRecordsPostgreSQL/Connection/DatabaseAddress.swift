#if PostgreSQL
package import BullaRecords

/// Where a database is, under which user name the backend connects to it, and how the connection is
/// protected.
package struct DatabaseAddress: Sendable {
    /// How a connection is made.
    package enum Route: Sendable {
        /// Over a socket in a folder of this machine.
        case socket(folder: String)
        /// Over the network, with TLS: the server proves its name by a certificate whose chain ends
        /// at a certificate in the file `authorities`.
        case network(host: String, authorities: String)
    }

    package let route: Route
    package let port: UInt16
    package let database: String
    package let user: String
    package let password: String?
    /// Whether statements are prepared once for each connection.
    ///
    /// Poolers that may give each transaction a different connection do not support that.
    package var preparesStatements = true
    /// How many seconds it may take to connect, to run a statement, or to wait for a lock.
    package var secondLimit = 10

    package init(
        _ route: Route, port: UInt16 = 5432, database: String, user: String,
        password: String? = nil
    ) throws(RecordError) {
        (self.route, self.port, self.database) = (route, port, database)
        (self.user, self.password) = (user, password)
        // Refuse empty values, for which libpq would substitute its own default, or an environment
        // variable.
        let names =
            switch route {
            case .socket(let folder): [folder, database, user]
            case .network(let host, let authorities): [host, authorities, database, user]
            }
        guard !names.contains(where: \.isEmpty) else {
            throw RecordError(.invalidArguments, "connect to a database: a part of it has no name")
        }
        // libpq would split a host at its commas into several hosts. It would also take a host that
        // begins with a slash for the folder of a socket.
        switch route {
        case .socket(let folder) where !folder.hasPrefix("/") || folder.contains(","):
            throw RecordError(.invalidArguments, "connect to a database: \(folder) is no folder")
        case .network(let host, _) where host.hasPrefix("/") || host.contains(","):
            throw RecordError(.invalidArguments, "connect to a database: \(host) is no host")
        default: break
        }
    }

    /// The parameters for libpq, all explicit.
    ///
    /// PostgreSQL's documentation explains them in chapter 34.1.2.
    var parameters: [(name: String, value: String)] {
        var parameters = [
            ("port", "\(port)"), ("dbname", database), ("user", user),
            ("application_name", "bulla-records"), ("connect_timeout", "\(secondLimit)"),
            // Without this `passfile`, libpq could take a password from a file in the user's home.
            ("passfile", "/dev/null/none"), ("gssencmode", "disable"),
            ("client_encoding", "UTF8"), ("target_session_attrs", "read-write"),
        ]
        switch route {
        case .socket(let folder): parameters += [("host", folder), ("sslmode", "disable")]
        case .network(let host, let authorities):
            parameters += [
                ("host", host), ("sslmode", "verify-full"), ("sslrootcert", authorities),
                ("ssl_min_protocol_version", "TLSv1.2"), ("keepalives", "1"),
                ("keepalives_idle", "5"), ("keepalives_interval", "5"), ("keepalives_count", "2"),
                ("tcp_user_timeout", "\(1_000 * secondLimit)"),
            ]
        }
        if let password { parameters.append(("password", password)) }
        return parameters
    }
}
#endif
