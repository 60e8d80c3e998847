internal import BullaRecords

extension Setting {
    /// All settings, in the order in which they are explained.
    package static let all: [Setting] =
        places + database(ServiceSettings.mainDatabase, at: "database") + placement + limits
        + timeouts

    /// The settings that have no default value.
    ///
    /// - Parameter hasDatabase: whether a PostgreSQL database keeps the records. If so, there is no
    ///   store of records, and no key of such a store is needed.
    static func needed(_ hasDatabase: Bool) -> [Setting] {
        places.prefix(4).filter { $0.path != "keys.records" || !hasDatabase }
    }

    private static let places: [Setting] = [
        .text("data", \.data, "The folder of the stores."),
        .text(
            "publicURL", \.publicURL,
            "Where clients reach the service; begins with https."),
        .text("keys.records", \.recordsKey, "Where the key of the records' store is."),
        .text("keys.accounts", \.accountsKey, "Where the key of the accounts' store is."),
        .text("listen.host", \.host, "The address that clients connect to."),
        .count("listen.port", \.port, 0...65_535, "The port; 0 takes a free one."),
        .text("tls.certificate", \.certificateFile, "A file in PEM: the certificate chain."),
        .text("tls.privateKey", \.privateKeyFile, "A file in PEM: the certificate's key."),
        .text("admin.host", \.adminHost, "The address for health and metrics."),
        .count("admin.port", \.adminPort, 0...65_535, "The port for these; 0 turns them off."),
        .flag(
            "console", \.hasConsole, "Whether to serve a page for people, at /console/."),
        .text("log.level", \.logLevel, "The lowest level of the messages in the log."),
    ]

    /// The settings of one database.
    ///
    /// - Parameters:
    ///   - name: the database's name.
    ///   - path: the path of the object with these settings.
    static func database(_ name: String, at path: String) -> [Setting] {
        [
            .text(
                "\(path).host", \.[database: name].host,
                "A PostgreSQL server for the records: its name, or its socket's folder."),
            .count("\(path).port", \.[database: name].port, 1...65_535, "The server's port."),
            .text("\(path).name", \.[database: name].name, "The database's name."),
            .text(
                "\(path).user", \.[database: name].user,
                "The user as whom the service connects."),
            .text(
                "\(path).passwordFile", \.[database: name].passwordFile,
                "A file with the password, which only its owner may read."),
            .text(
                "\(path).authorities", \.[database: name].authoritiesFile,
                "A file in PEM: the authorities that sign the server's certificate."),
            .count(
                "\(path).connections", \.[database: name].connectionCount, 2...1_000,
                "Connections at once."),
            .count(
                "\(path).waiters", \.[database: name].waiterCount, 1...100_000,
                "Calls that may wait for a connection; clients of further ones try again later."),
            .count(
                "\(path).seconds", \.[database: name].secondLimit, 1...3_600,
                "Seconds for a connection, a statement or a lock."),
            .flag(
                "\(path).preparesStatements", \.[database: name].preparesStatements,
                "Whether connections prepare statements; false for poolers that cannot."),
        ]
    }

    private static let placement: [Setting] = [
        Setting(
            path: "databases",
            help: "Further databases by their names, each like database; in a variable, as JSON."
        ) { value, settings throws(SettingsFault) in
            try settings.takeDatabases(value)
        } shown: {
            $0.databases.keys.sorted().joined(separator: ", ")
        },
        .text(
            "placement.newAccounts", \.newAccounts,
            "The database for new accounts: main, or a name in databases."),
    ]

    private static let limits: [Setting] = [
        .count(
            "limits.requestBytes", \.limits.requestByteCount, 1_024...(1 << 30),
            "Bytes of a request's body."),
        .count(
            "limits.answerBytes", \.limits.answerByteCount, 1_024...(1 << 30),
            "Bytes of an answer; a list that would be longer gets fewer records."),
        .count(
            "limits.bytesInFlight", \.limits.byteCountInFlight, 1_024...(1 << 40),
            "Bytes of all bodies that are worked on at once."),
        .count(
            "limits.operations", \.limits.operationCount, 1...10_000, "Operations of a request."),
        .count("limits.results", \.limits.resultCount, 1...10_000, "Records of an answer."),
        .count(
            "limits.recordBytes", \.limits.recordByteCount, 1_024...(64 << 20),
            "Bytes of a record."),
        .count(
            "limits.assetBytes", \.limits.assetByteCount, 1_024...(1 << 40), "Bytes of an asset."),
        .count(
            "limits.accountMebibytes", \.limits.accountMebibytes, 0...(1 << 40),
            "MiB of all records and assets of an account; 0 for no limit."),
        .count(
            "limits.deletionDays", \.limits.deletionDays, RecordLimits.deletionDayRange,
            "Days for which followers of changes are told what was deleted; older tokens expire."),
        .count(
            "limits.connections", \.limits.connectionCount, 1...100_000, "Connections at once."),
        .count(
            "limits.transfers", \.limits.transferCount, 1...10_000,
            "Assets that are sent or received at once."),
        .count(
            "limits.workers", \.limits.workerCount, 1...1_024,
            "Requests that are worked on at once."),
        .count(
            "limits.requestsPerSecond", \.limits.requestsPerSecond, 1...1_000_000,
            "Requests of one token or key per second."),
        .count(
            "limits.requestBurst", \.limits.requestBurst, 1...1_000_000,
            "Requests of one token or key that may come at once."),
        .count(
            "limits.failedSignInsPerMinute", \.limits.failuresPerMinute, 1...10_000,
            "Sign-ins of one name that may fail in a minute."),
        .count(
            "limits.passwords", \.limits.passwordCount, 1...64,
            "Passwords that are checked at once: each takes 128 MiB for about half a second."),
    ]

    private static let timeouts: [Setting] = [
        .count(
            "timeouts.header", \.timeouts.header, 1...3_600,
            "Seconds for TLS and the head of a request."),
        .count(
            "timeouts.body", \.timeouts.body, 1...3_600, "Seconds for the body of a request."),
        .count(
            "timeouts.transfer", \.timeouts.transfer, 1...3_600,
            "Seconds for the next bytes of an asset, and to take 64 KiB of an answer."),
        .count(
            "timeouts.whole", \.timeouts.whole, 1...86_400,
            "Seconds for an asset that is sent to the service, and for any answer."),
        .count(
            "timeouts.idle", \.timeouts.idle, 1...3_600,
            "Seconds for the next request of a connection."),
        .count(
            "timeouts.stop", \.timeouts.stop, 1...3_600,
            "Seconds for requests in progress when the service stops."),
    ]

    /// The settings as text: their names, default values, and explanations.
    package static var reference: String {
        let settings = ServiceSettings()
        return all.map { setting in
            let value = setting.shown(settings)
            return "\(setting.path)\n    \(setting.help)\n    "
                + (value.isEmpty ? "" : "Default: \(value). ")
                + "Environment: \(setting.variable)\n"
        }.joined()
    }
}
