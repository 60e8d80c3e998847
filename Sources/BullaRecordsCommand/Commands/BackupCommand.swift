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
            Each backup is as encrypted as its store, under the same key. Keep the two apart: \
            records open with the accounts of their time alone. After a reset of keys, destroy the \
            backups of the accounts from before it: with them, and the former password, the \
            records from before still open.
            """)

    @OptionGroup var service: ServiceArguments
    @Option(help: "The file for the records; none may be there yet.", completion: .file())
    var records: String
    @Option(help: "The file for the accounts; none may be there yet.", completion: .file())
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
        abstract: "Make the stores anew from backups, where there are none.",
        discussion: """
            Clients that follow changes are told that their tokens have expired, and begin anew.
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
