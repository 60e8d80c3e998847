internal import ArgumentParser
internal import BullaBenchKit
internal import BullaObjectRun
internal import BullaText

struct ObjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "objects",
        abstract: "Measures work on objects: of Bulla, in trees coded by hand, and in GRDB.",
        discussion: """
            The same objects, of eight properties and three indexes, are kept as encrypted and as \
            plain objects of Bulla, in encrypted trees whose keys and rows are coded by hand, and, \
            where the program bulla-objects-grdb exists, in GRDB over SQLite, which is plain. In \
            each round each form has a process of its own and a copy of the store that it loaded. \
            Slices of the same work take turns, first in one order and then in the other. What the \
            forms read, and what they hold at the end of each round, must agree, or the run ends. \
            A ratio is the time of encrypted objects divided by that of another form. Then another \
            process waits for changes of one object. A figure with an aim meets it or misses it; \
            it is undecided where its interval contains the aim, and after fewer than five rounds.

            Exit status: 0 all aims met, 1 one missed, 2 undecided; 64 and above: the run failed; \
            the message says why.
            """)

    @Option(help: "Objects of each store, a multiple of 1000.")
    var objects = 100_000

    @Option(help: "How many times everything is measured.")
    var rounds = 5

    @Option(
        help: ArgumentHelp(
            "What is measured, separated by commas.",
            discussion: ObjectRun.workNames.joined(separator: ",")))
    var works = Values(ObjectRun.workNames)

    @Option(help: "Bytes of each store's cache.")
    var cache = ByteCount(1 << 30)

    @Flag(help: "Compares GRDB in the harness with bulla-bare-grdb, which runs without it.")
    var bare = false

    @Option(help: "The folder of the peers' programs; by default, that of this program.")
    var programs: String?

    @Option(help: "The folder in which a temporary folder for the stores is made.")
    var directory = "."

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    func validate() throws {
        guard (1_000...100_000_000).contains(objects), objects % 1_000 == 0 else {
            throw ValidationError("--objects is 1000 to 100000000, a multiple of 1000")
        }
        guard (1...100).contains(rounds), cache.count > 0 else {
            throw ValidationError("--rounds is 1 to 100, --cache more than 0")
        }
        guard works.list.allSatisfy(ObjectRun.workNames.contains) else {
            throw ValidationError("--works can be \(ObjectRun.workNames.joined(separator: ","))")
        }
    }

    func run() throws {
        try report {
            Interruption.shared.listen()
            if let json { try Folder.checkWritable(json) }
            let lineup = try ObjectLineup(programs: programs, isBare: bare)
            var run = ObjectRun()
            (run.objectCount, run.roundCount, run.works) = (objects, rounds, works.list)
            (run.cacheByteCount, run.directory) = (cache.count, directory)
            let result = try run.result(lineup) { Terminal.write("\($0)\n") }
            print(result.lines.joined(separator: "\n"))
            if let json { try Descriptor.replace(json).write(result.json()) }
            return result.verdict.exit
        }
    }
}

/// The command that a run spawns to keep objects; users never call it.
struct KeeperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "object-keeper", abstract: "Keeps objects.", shouldDisplay: false)

    @Argument var form: ObjectKeeper
    @Argument var arguments: [String]

    func run() { form.run() }
}

extension ObjectKeeper: ExpressibleByArgument {}
