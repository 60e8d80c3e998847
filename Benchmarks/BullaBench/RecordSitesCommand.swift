internal import ArgumentParser
internal import BullaBenchKit
internal import BullaRecords
internal import BullaText
#if PostgreSQL
internal import BullaRecordsPostgreSQL
#endif

struct RecordSitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record-sites",
        abstract: "Measures records in a store, in one PostgreSQL database, and in several.",
        discussion: """
            Clients with an account each save records, fetch them by name, and follow their \
            zones, all at the same time; the records have ten fields, which are plain in one \
            container, while five of them are encrypted in another. Figures are records a second \
            of all clients together. A latency is the time from the call that saves a record until \
            another client has it. All homes and both forms take turns. Each --server is the \
            folder with the socket of a server; its database keeps the containers of the run. \
            With several, the accounts are spread over them. scripts/bench --record-sites starts \
            three servers, and removes them afterwards.

            Exit status: 0 measured; 64 and above: the run failed; the message says why.
            """)

    @Option(
        name: .customLong("server"),
        help: ArgumentHelp(
            "A PostgreSQL server, by the folder of its socket; repeat it for more.",
            valueName: "folder"))
    var servers: [String] = []

    @Option(help: "The name of the database at each server.")
    var database = "postgres"

    @Option(help: "The user of the databases.")
    var user = "postgres"

    @Option(help: "Records of each client.")
    var records = 1_000

    @Option(help: "Clients that work at the same time.")
    var clients = 3

    @Option(help: "Rounds.")
    var rounds = 5

    @Option(help: "The folder in which a temporary folder for the store is made.")
    var directory = "."

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    func validate() throws {
        guard (1...1_000_000).contains(records), (1...64).contains(clients) else {
            throw ValidationError("--records is 1 to 1000000, --clients 1 to 64")
        }
        guard (1...100).contains(rounds) else { throw ValidationError("--rounds is 1 to 100") }
    }

    func run() throws {
        try report {
            Interruption.shared.listen()
            if let json { try Folder.checkWritable(json) }
            var run = RecordSitesRun()
            (run.recordCount, run.clientCount) = (records, clients)
            (run.roundCount, run.directory) = (rounds, directory)
            let result = try run.result(try sites()) { Terminal.write("\($0)\n") }
            print(result.lines.joined(separator: "\n"))
            if let json { try Descriptor.replace(json).write(result.json()) }
            return .met
        }
    }

    private func sites() throws -> [any SiteBackend] {
        #if PostgreSQL
        do {
            return try servers.map { folder in
                let address = try DatabaseAddress(
                    .socket(folder: folder), database: database, user: user)
                return try PostgreSQLBackend(address, connectionLimit: 2 * clients)
            }
        } catch { throw BenchError(.store, "\(error)") }
        #else
        guard servers.isEmpty else {
            throw BenchError(
                .usage, "--server: this bulla-bench was built without --traits PostgreSQL")
        }
        return []
        #endif
    }
}
