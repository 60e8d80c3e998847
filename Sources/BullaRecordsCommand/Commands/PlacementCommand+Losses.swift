internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

/// The subcommands for databases that were restored, or are lost.
extension PlacementCommand {
    struct Restored: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Go on with a database that was restored from a backup.",
            discussion: """
                Stop all processes of the service before you restore the database, and start them \
                after this command. Clients of its accounts are told that their change tokens \
                have expired, and start over. The command lists accounts that had come to the \
                database after the backup: as lost if the database has nothing of them, as of an \
                earlier time if they go on with what it has from then, and as empty if they were \
                made there after the backup, or never used.
                """)

        @OptionGroup var service: ServiceArguments
        @Argument(help: "The name of the database.") var database: String

        func run() throws {
            try service.withStores { stores in
                _ = try stores.severalDatabases()
                try stores.checkName(database)
                try stores.forkTimeline(of: database)
                try stores.openContainers()
                for place in try stores.keyring.containers.places() {
                    try stores.adoptAccounts(of: database, in: place) { name, database, result in
                        print(database.line(name, result.told))
                    }
                }
            }
        }
    }

    struct Abandon: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give up what a lost database had of an account.",
            discussion: """
                If a database was restored to a time before an account came to it, or is gone for \
                good, the account cannot be used. This command lets it begin anew, empty; what the \
                lost database has of it then counts for nothing, even if that database comes back. \
                If another database still has the account, and only the other end of a move is \
                gone, the account stays where it is, with everything. If another \
                database has it as it was earlier, such as its former one, it goes on there with \
                that. Without --yes, the command \
                says what would be lost, and changes nothing.
                """)

        @OptionGroup var account: PlacedAccountArguments
        @OptionGroup var decision: AbandonArguments

        func run() throws { try account.withAccount(decision.run) }
    }

    struct AbandonPublic: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give up what a lost database had of the public database of a container.")

        @OptionGroup var place: PlacedPublicArguments
        @OptionGroup var decision: AbandonArguments

        func run() throws { try place.withDatabase(decision.run) }
    }
}

/// Whether to give up what is lost, and where to begin anew.
struct AbandonArguments: ParsableArguments {
    @Argument(
        help: """
            Where it begins anew; by default the database that has lost it, or the one for new \
            accounts if that one is gone.
            """)
    var database: String?

    @Flag(help: "Give up what is lost.") var yes = false

    func run(_ account: PlacedAccount) throws {
        let placed = try account.stores.severalDatabases()
        if let database { try account.stores.checkName(database) }
        let repair = HomeRepair(placed, account.database)
        guard yes else {
            let finding = try repair.look()
            let advice = finding.isLoss ? "; add --yes to go on" : ""
            throw SettingsFault("\(account.told(finding)). Nothing was changed\(advice)")
        }
        print(account.told(try repair.abandon(at: database)))
        let home = try placed.entry(of: account.database)?.home ?? ServiceSettings.mainDatabase
        print("\(account.name) is in \(home)")
    }
}

extension HomeRepair.Finding {
    /// Whether there is something to give up.
    fileprivate var isLoss: Bool {
        switch self {
        case .none, .older: false
        case .half, .former, .lost, .away: true
        }
    }
}

extension PlacedAccount {
    /// A sentence about what is lost.
    fileprivate func told(_ finding: HomeRepair.Finding) -> String {
        switch finding {
        case .none(let home): "\(home) has \(name): nothing is lost"
        case .older(let home):
            "\(home) has \(name) from an earlier time: placement restored lets it go on with that"
        case .half(let home, let gone):
            "\(home) has everything of \(name); what \(gone) has of it is left as it is"
        case .former(let home, let gone):
            "\(gone) does not have \(name), but \(home) has it as it was earlier: what has changed "
                + "since then is lost"
        case .lost(let home):
            "\(home) does not have \(name): everything that \(name) owned there is lost"
        case .away(let home):
            "\(home) cannot be reached: everything that \(name) owns there is lost for good, "
                + "even if \(home) comes back"
        }
    }
}

extension RestoredDatabase {
    fileprivate var told: String {
        switch self {
        case .present: "present"
        case .adopted: "as of an earlier time"
        case .emptied: "empty"
        case .left(let former): "lost, but \(former) has it as it was earlier"
        case .lost: "lost"
        }
    }
}
