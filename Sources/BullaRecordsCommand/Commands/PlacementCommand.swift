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
            only be read. A move that was interrupted is finished by resume, by the same move \
            again, or by the service within twenty minutes. Run restored after you have restored \
            one of the databases from a backup. Commands for one account look for it in the \
            development environment, unless --environment names production.
            """,
        subcommands: [
            List.self, Move.self, MovePublic.self, Resume.self, Cancel.self, CancelPublic.self,
            Restored.self, Abandon.self, AbandonPublic.self,
        ])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List accounts, each with its database.",
            discussion: """
                Each line has a container, its environment, the name of an account, the name of \
                its user record, its database, and what a move has still to do. The public \
                database of a container has a line, too, with - as its name.
                """)

        @OptionGroup var service: ServiceArguments
        @OptionGroup var places: PlacesArguments

        func run() throws {
            try service.withStores { stores in
                let placed = try stores.severalDatabases()
                for place in try places.places(in: stores) {
                    for (name, database) in try stores.databases(of: place) {
                        print(database.line(name, try placed.entry(expectedOf: database).told))
                    }
                }
            }
        }
    }

    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move an account to a database.",
            discussion: "It tells on standard error how far it is; a page has up to 64 records.")

        @OptionGroup var account: PlacedAccountArguments
        @Argument(help: "The name of the database.") var database: String

        func run() throws { try account.withAccount { try $0.move(to: database) } }
    }

    struct MovePublic: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move the public database of a container to a database.")

        @OptionGroup var place: PlacedPublicArguments
        @Argument(help: "The name of the database.") var database: String

        func run() throws { try place.withDatabase { try $0.move(to: database) } }
    }

    struct Resume: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Finish all moves that were interrupted.",
            discussion: """
                Each line says where an account is then, as in list: a move that was taken back \
                has not brought it anywhere. An account that fails does not keep others from being \
                moved.
                """)

        @OptionGroup var service: ServiceArguments
        @OptionGroup var places: PlacesArguments

        func run() throws {
            try service.withStores { stores in
                var failure: (any Error)?
                for place in try places.places(in: stores) {
                    for (name, database) in try stores.databases(of: place) {
                        do { try resume(name, database, stores) } catch {
                            failure = failure ?? error
                        }
                    }
                }
                if let failure { throw failure }
            }
        }

        private func resume(
            _ name: String?, _ database: Database, _ stores: ServiceStores
        ) throws {
            let entry = try stores.severalDatabases().entry(of: database)
            guard let entry, entry.state != .settled else { return }
            let account = PlacedAccount(
                name: name ?? "the public database", database: database, stores: stores)
            print(database.line(name, try account.home { try $0.resume(database) }))
        }
    }

    struct Cancel: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take back a move, so that the account stays where it is.")

        @OptionGroup var account: PlacedAccountArguments

        func run() throws { try account.withAccount { try $0.cancel() } }
    }

    struct CancelPublic: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take back a move of a public database, so that it stays where it is.")

        @OptionGroup var place: PlacedPublicArguments

        func run() throws { try place.withDatabase { try $0.cancel() } }
    }
}

extension PlacedAccount {
    fileprivate func move(to target: String) throws {
        let home = try self.home { mover in
            try stores.checkName(target)
            try mover.move(database, to: target)
        }
        print("\(name) is in \(home)")
    }

    fileprivate func cancel() throws {
        let home = try self.home { try $0.cancel(database) }
        print("\(name) stays in \(home)")
    }
}

extension Database {
    /// A line that names an account or a public database, and says something about it.
    func line(_ name: String?, _ told: String) -> String {
        [
            place.container, place.environment.name, name ?? "-",
            owner?.userRecordName ?? "public", told,
        ].joined(separator: "\t")
    }
}

extension ServiceStores {
    /// Refuses a name that no database has.
    func checkName(_ name: String) throws(SettingsFault) {
        guard sites[name] != nil else {
            throw SettingsFault("the settings have no database named \(name)")
        }
    }
}

extension PlacementEntry {
    /// What the list says about a database: its home, and what its move still has to do.
    fileprivate var told: String {
        switch state {
        case .settled: home
        case .moving(let target): "\(home)\tmoving to \(target)"
        case .clearing(let former): "\(home)\tto be deleted in \(former)"
        }
    }
}
