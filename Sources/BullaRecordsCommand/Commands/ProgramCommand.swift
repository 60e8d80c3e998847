internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

/// `bulla-records program`.
struct ProgramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "program",
        abstract: "Admit, list and remove programs; each has an API token.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Admit a program, and print its API token, which cannot be read again.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments
        @Argument(help: "What lists call it.") var name: String

        func run() throws {
            let token = try service.withStores { stores in
                try place.check(in: stores)
                return try stores.keyring.programs.add(name, in: place.place)
            }
            print(token)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List programs.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments

        func run() throws {
            let names = try service.withStores { stores in
                try place.check(in: stores)
                return try stores.keyring.programs.names(in: place.place)
            }
            for name in names { print(name) }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a program: its token is refused from now on.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments
        @Argument(help: "What lists call it.") var name: String

        func run() throws {
            try service.withStores { stores in
                try place.check(in: stores)
                try stores.keyring.programs.remove(name, in: place.place)
            }
        }
    }
}
