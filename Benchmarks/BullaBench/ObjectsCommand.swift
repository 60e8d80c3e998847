internal import ArgumentParser
internal import BullaBenchKit
internal import BullaObjectRun
internal import BullaText

struct ObjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "objects",
        abstract: "Measures work on objects: of Bulla, in trees by hand, and in GRDB.",
        discussion: """
            Objects of eight properties and three indexes are kept as encrypted and as plain \
            objects of Bulla, in encrypted trees with keys and rows written by hand, and, where \
            the program bulla-objects-grdb is there, in GRDB over SQLite, which is plain. A round \
            gives each of them a process of its own and a copy of the store that it loaded; slices \
            of the same work come in turn, there and back; and what they read, and hold at the end \
            of each round, is the same, or the run ends. A ratio is the time of encrypted objects \
            / that of the others. Then another process waits for changes of one object. A figure \
            that has an aim meets it or misses it; it is undecided where the interval has the aim \
            inside, and after fewer than five rounds.

            Exit status: 0 all aims met, 1 one missed, 2 undecided; 64 and above: the run failed, \
            and says why.
            """)

    @Option(help: "Objects of each store: thousands.")
    var objects = 100_000

    @Option(help: "How often everything is measured.")
    var rounds = 5

    @Option(
        help: ArgumentHelp(
            "What is measured, with commas between.",
            discussion: ObjectRun.workNames.joined(separator: ",")))
    var works = Values(ObjectRun.workNames)

    @Option(help: "Bytes of each store's cache.")
    var cache = ByteCount(1 << 30)

    @Flag(help: "Holds GRDB in the harness against bulla-bare-grdb, which has none around it.")
    var bare = false

    @Option(help: "The folder of the peers' programs; without this, the one of this program.")
    var programs: String?

    @Option(help: "Where stores are made, in a temporary folder.")
    var directory = "."

    @Option(help: ArgumentHelp("Where the result is written as JSON.", valueName: "file"))
    var json: String?

    func validate() throws {
        guard (1_000...100_000_000).contains(objects), objects % 1_000 == 0 else {
            throw ValidationError("--objects is 1000 to 100000000, in thousands")
        }
        guard (1...100).contains(rounds), cache.count > 0 else {
            throw ValidationError("--rounds is 1 to 100, --cache some bytes")
        }
        guard works.list.allSatisfy(ObjectRun.workNames.contains) else {
            throw ValidationError("--works is of \(ObjectRun.workNames.joined(separator: ","))")
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

/// What a run spawns; of no use to people.
struct KeeperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "object-keeper", abstract: "Keeps objects.", shouldDisplay: false)

    @Argument var form: ObjectKeeper
    @Argument var arguments: [String]

    func run() { form.run() }
}

extension ObjectKeeper: ExpressibleByArgument {}
