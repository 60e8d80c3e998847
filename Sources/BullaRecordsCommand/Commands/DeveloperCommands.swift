internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

extension AccountCommand {
    struct AllowDeveloping: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow-developing",
            abstract: "Let an account's user read and promote the schema in the console.",
            discussion: """
                The right is for the container: its schema of development, and that of production. \
                The account has it from its next request on, whichever process answers.
                """)

        @OptionGroup var account: AccountArguments

        func run() throws {
            try account.withAccount { stores, account, place in
                try stores.keyring.developers.allow(account, in: place)
            }
        }
    }

    struct ForbidDeveloping: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forbid-developing",
            abstract: "Take from an account's user what allow-developing has given.")

        @OptionGroup var account: AccountArguments

        func run() throws {
            try account.withAccount { stores, account, place in
                try stores.keyring.developers.forbid(account, in: place)
            }
        }
    }

    struct Developers: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the accounts whose users may promote the schema in the console.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments

        func run() throws {
            let names = try service.withStores { stores in
                try place.check(in: stores)
                let keyring = stores.keyring
                return try keyring.names.all(in: place.place)
                    .filter { try keyring.developers.contains($0.1, in: place.place) }.map(\.0)
            }
            for name in names { print(name) }
        }
    }
}
