internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

extension AccountCommand {
    struct GrantRole: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant-role",
            abstract: "Give an account a role that the schema creates.",
            discussion: """
                The schema says what a role may do in the public database. The account has the \
                role from its next request on, whichever process answers the request.
                """)

        @OptionGroup var account: AccountArguments
        @Argument(help: "The role, as CREATE ROLE calls it.") var role: String

        func run() throws {
            try account.withAccount { stores, account, place in
                try stores.grant(role, to: account, in: place)
            }
        }
    }

    struct RevokeRole: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke-role", abstract: "Take a role from an account.")

        @OptionGroup var account: AccountArguments
        @Argument(help: "The role, as CREATE ROLE calls it.") var role: String

        func run() throws {
            try account.withAccount { stores, account, place in
                try stores.keyring.roles.revoke(role, from: account, in: place)
            }
        }
    }

    struct Roles: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the roles that accounts have, each preceded by the account's name.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments

        func run() throws {
            let lines = try service.withStores { stores in
                try place.check(in: stores)
                let keyring = stores.keyring
                return try keyring.names.all(in: place.place).flatMap { name, account in
                    try keyring.roles.all(of: account, in: place.place).sorted().map { (name, $0) }
                }
            }
            for (name, role) in lines { print("\(name)\t\(role)") }
        }
    }
}
