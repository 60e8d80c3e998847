internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

/// `bulla-records container`.
struct ContainerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container", abstract: "Make and list containers.",
        subcommands: [Add.self, List.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a container, in both of its environments.")

        @OptionGroup var service: ServiceArguments
        @Argument(help: "The container, such as iCloud.org.example.notes.") var container: String

        func run() throws {
            try service.withStores { try $0.addContainer(container) }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List containers.")

        @OptionGroup var service: ServiceArguments

        func run() throws {
            let places = try service.withStores { try $0.keyring.containers.places() }
            for name in Set(places.map(\.container)).sorted() { print(name) }
        }
    }
}
