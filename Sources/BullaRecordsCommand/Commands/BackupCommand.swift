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
            Records open only with accounts of the same time. After a reset of an account's keys, \
            destroy older backups of the accounts: with them, and the former password, older \
            records of the account still open.
            """)

    @OptionGroup var service: ServiceArguments
    @Option(help: "The file for the records; it must not exist yet.", completion: .file())
    var records: String
    @Option(help: "The file for the accounts; it must not exist yet.", completion: .file())
    var accounts: String

    func run() throws {
        try service.withStores { stores in
            // The accounts come last, so that their backup has every account that owns a record in
            // the other.
            let records = try stores.records.backup(to: records)
            let accounts = try stores.accounts.backup(to: accounts)
            print("records at commit \(records.commit), accounts at commit \(accounts.commit)")
        }
    }
}

/// `bulla-records restore`.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make the stores from backups; they must not exist yet.",
        discussion: """
            Clients that follow changes are told that their tokens have expired, and start over.
            """)

    @OptionGroup var service: ServiceArguments
    @Option(help: "A backup of the records.", completion: .file()) var records: String
    @Option(help: "A backup of the accounts.", completion: .file()) var accounts: String

    func run() throws {
        let settings = try service.load()
        let keys = try settings.keys(settings.logger)
        try FileManager.default.createDirectory(
            atPath: settings.data, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Store.restore(
            from: [records], to: settings.data + "/records.bulla", key: keys.records)
        try Store.restore(
            from: [accounts], to: settings.data + "/accounts.bulla", key: keys.accounts)
        let stores = try settings.open(logger: settings.logger)
        let result = Result { try stores.openContainers() }
        try stores.close()
        try result.get()
        print("the stores are in \(settings.data)")
    }
}
