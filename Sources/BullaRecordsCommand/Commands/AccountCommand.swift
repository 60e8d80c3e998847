internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

/// `bulla-records account`.
struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Make, list and change accounts of users.",
        subcommands: [
            Add.self, List.self, SetPassword.self, ResetKeys.self, EndSessions.self,
            GrantRole.self, RevokeRole.self, Roles.self, AllowDeveloping.self,
            ForbidDeveloping.self, Developers.self, Delete.self,
        ])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an account, and print the name of its user record.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments
        @Argument(help: "The name to sign in by.") var name: String
        @OptionGroup var password: PasswordArguments

        func run() throws {
            let key = try password.newKey(service.load().logger)
            let account = try service.withStores { stores in
                try place.check(in: stores)
                return try stores.addAccount(named: name, in: place.place, unlockedBy: key)
            }
            print(account.userRecordName)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List accounts, each with the name of its user record.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments

        func run() throws {
            let names = try service.withStores { stores in
                try place.check(in: stores)
                return try stores.keyring.names.all(in: place.place)
            }
            for (name, account) in names { print("\(name)\t\(account.userRecordName)") }
        }
    }

    struct SetPassword: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change-password",
            abstract: "Change the password of an account, given its former one.",
            discussion: """
                Sessions continue. An older copy of the accounts still opens with the former \
                password.
                """)

        @OptionGroup var account: AccountArguments
        @Option(help: ArgumentHelp("Where the former password is.", valueName: "source"))
        var formerPasswordSource = "prompt"
        @OptionGroup var password: PasswordArguments

        func run() throws {
            let logger = try account.service.load().logger
            let former = try PasswordArguments.key(formerPasswordSource, logger)
            let key = try password.newKey(logger)
            try account.withAccount { stores, account, place in
                try stores.keyring.changeKey(of: account, in: place, from: former, to: key)
            }
        }
    }

    struct ResetKeys: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-keys",
            abstract: "Give an account new keys and a new password, without its former one.",
            discussion: """
                What the account has stored in its private database can never be opened again, and \
                its sessions end. An older copy of the accounts, with the former password, still \
                opens what was sealed until now: destroy such copies if nobody may open it.
                """)

        @OptionGroup var account: AccountArguments
        @OptionGroup var password: PasswordArguments

        func run() throws {
            let key = try password.newKey(account.service.load().logger)
            try account.withAccount { stores, account, place in
                try stores.resetKeys(of: account, in: place, to: key)
            }
        }
    }

    struct EndSessions: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end-sessions", abstract: "Sign an account out everywhere.")

        @OptionGroup var account: AccountArguments

        func run() throws {
            let count = try account.withAccount { stores, account, place in
                try stores.keyring.sessions.endAll(of: account, in: place)
            }
            print("\(count) sessions ended")
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account, and everything that it owns.")

        @OptionGroup var account: AccountArguments

        func run() throws {
            try account.withAccount { stores, account, place in
                try stores.deleteAccount(account, in: place)
            }
        }
    }
}
