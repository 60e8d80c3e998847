internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

/// `bulla-records placement`.
struct PlacementCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "placement",
        abstract: "Show and change which database has the records of an account.",
        discussion: """
            The settings name the databases: main is the first one, the others are in databases. \
            An account can be used while it moves, except for a moment at the end, in which it can \
            only be read. A move that was interrupted is finished by resume, or by the same move \
            again.
            """,
        subcommands: [List.self, Move.self, MovePublic.self, Resume.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List accounts, each with its database.",
            discussion: """
                Each line has the name of an account, the name of its user record, its database, \
                and what a move has still to do. The last line is for the public database.
                """)

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments

        func run() throws {
            try service.withStores { stores in
                try place.check(in: stores)
                let placed = try stores.severalDatabases()
                for (name, account) in try stores.keyring.names.all(in: place.place) {
                    let entry = try placed.entry(of: Database(place.place, owner: account))
                    print("\(name)\t\(account.userRecordName)\t\(entry.told)")
                }
                let entry = try placed.entry(of: Database(place.place, owner: nil))
                print("-\tpublic\t\(entry.told)")
            }
        }
    }

    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move an account to a database.")

        @OptionGroup var account: AccountArguments
        @Argument(help: "The name of the database.") var database: String

        func run() throws {
            try account.withAccount { stores, account, place in
                try stores.move(Database(place, owner: account), to: database)
            }
        }
    }

    struct MovePublic: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move the public database of a container to a database.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments
        @Argument(help: "The name of the database.") var database: String

        func run() throws {
            try service.withStores { stores in
                try place.check(in: stores)
                try stores.move(Database(place.place, owner: nil), to: database)
            }
        }
    }

    struct Resume: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Finish all moves of a container that were interrupted.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments

        func run() throws {
            try service.withStores { stores in
                try place.check(in: stores)
                let placed = try stores.severalDatabases()
                var owners: [AccountIdentifier?] =
                    try stores.keyring.names.all(in: place.place).map(\.account)
                owners.append(nil)
                for owner in owners {
                    let database = Database(place.place, owner: owner)
                    guard let entry = try placed.entry(of: database), entry.state != .settled
                    else { continue }
                    try stores.mover?.resume(database)
                    print("\(owner?.userRecordName ?? "public") has arrived")
                }
            }
        }
    }
}

extension ServiceStores {
    /// The backend over all databases.
    fileprivate func severalDatabases() throws -> PlacedBackend {
        guard let placed else {
            throw SettingsFault("the settings have only one database: add others to databases")
        }
        return placed
    }

    fileprivate func move(_ database: Database, to name: String) throws {
        _ = try severalDatabases()
        guard sites[name] != nil else {
            throw SettingsFault("the settings have no database named \(name)")
        }
        try mover?.move(database, to: name)
    }
}

extension PlacementEntry? {
    /// What the list says of a database: its home, and what is left to do for a move.
    fileprivate var told: String {
        guard let self else { return ServiceSettings.mainDatabase }
        return switch self.state {
        case .settled: self.home
        case .moving(let target): "\(self.home)\tmoving to \(target)"
        case .clearing(let former): "\(self.home)\tto be deleted in \(former)"
        }
    }
}
