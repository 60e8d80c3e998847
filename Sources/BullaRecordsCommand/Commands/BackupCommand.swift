internal import ArgumentParser
internal import Bulla
internal import BullaRecordsServer
internal import Foundation

/// `bulla-records backup`.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the records and the accounts, while the service runs.",
        discussion: """
            Each backup is encrypted like its store, under the same key. Keep the two apart. \
            Databases that keep records are backed up with their own tools, such as pg_dump: first \
            those in databases, then main (the database, or the records here), and the accounts at \
            the end. \
            Records open only with accounts of the same time. After a reset of an account's keys, \
            destroy older backups of the accounts: with them, and the former password, older \
            records of the account still open.
            """)

    @OptionGroup var service: ServiceArguments
    @Option(
        help: "The file for the records, if they are in a store; it must not exist yet.",
        completion: .file())
    var records: String?
    @Option(help: "The file for the accounts; it must not exist yet.", completion: .file())
    var accounts: String

    func run() throws {
        try service.withStores { stores in
            // The accounts come last, so that their backup has every account that owns a record in
            // the backup of the records.
            var report = ""
            if let path = try records.checked(stores.records == nil) {
                let records = try stores.records?.backup(to: path)
                report = "records at commit \(records?.commit ?? 0), "
            }
            let accounts = try stores.accounts.backup(to: accounts)
            print("\(report)accounts at commit \(accounts.commit)")
        }
    }
}

/// `bulla-records restore`.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make the stores from backups; they must not exist yet.",
        discussion: """
            Clients that follow changes are told that their tokens have expired, and start over. \
            Restore databases that keep records first, with their own tools. All of them must be \
            reachable. If the command fails because one is not, the stores are made already: run \
            placement restored for each database once all can be reached. That command is also for \
            a database that was restored alone.
            """)

    @OptionGroup var service: ServiceArguments
    @Option(help: "A backup of the records, if they are in a store.", completion: .file())
    var records: String?
    @Option(help: "A backup of the accounts.", completion: .file()) var accounts: String

    func run() throws {
        let settings = try service.load()
        let path = try records.checked(settings.database.isUsed)
        settings.forbidDumps(settings.logger)
        try FileManager.default.createDirectory(
            atPath: settings.data, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        if let path {
            try Store.restore(
                from: [path], to: settings.data + "/records.bulla",
                key: settings.key(settings.recordsKey, "keys.records", settings.logger))
        }
        try Store.restore(
            from: [accounts], to: settings.data + "/accounts.bulla",
            key: settings.key(settings.accountsKey, "keys.accounts", settings.logger))
        let stores = try settings.open(logger: settings.logger)
        let result = Result {
            try stores.openContainers()
            try stores.forkTimeline()
        }
        try stores.close()
        do { try result.get() } catch {
            if settings.databases.isEmpty { throw error }
            throw settings.unfinished(error)
        }
        print("the stores are in \(settings.data)")
    }
}

extension ServiceSettings {
    /// The error of a restore that has made the stores, but has failed to begin another timeline in
    /// at least one database.
    fileprivate func unfinished(_ error: any Error) -> SettingsFault {
        let names = ([Self.mainDatabase] + databases.keys.sorted()).joined(separator: ", ")
        return SettingsFault(
            "\(error); the stores are in \(data); once all databases can be reached, run "
                + "bulla-records placement restored for each of them: \(names)")
    }
}

extension String? {
    /// The file for the records; `nil` if a database keeps them.
    ///
    /// - Throws: an error if the user names no file although a store keeps the records, or names
    ///   one although a database does.
    fileprivate func checked(_ hasDatabase: Bool) throws(SettingsFault) -> String? {
        guard (self == nil) == hasDatabase else {
            throw SettingsFault(
                hasDatabase
                    ? "--records: a database keeps the records; use its own tools for them"
                    : "--records: expected a file")
        }
        return self
    }
}
