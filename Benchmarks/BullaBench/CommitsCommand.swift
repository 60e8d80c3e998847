internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText
internal import Foundation

struct CommitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commits",
        abstract: "Measures how far durable commits of many writers get beyond one writer's.",
        discussion: """
            Processes that commit at the same time share flushes. The table says how much more \
            they commit than one writer alone, on the same disk, in the same round: the median \
            of the rounds, the lowest and the highest; and how many flushes a commit took.

            "bare" has no store. Its commits hold a lock for so many microseconds, write 16 KiB \
            and share flushes: a store that commits one by one, and holds its lock for as long, \
            will hardly get further on this machine.

            Exit status: 0 measured; 64 and above: the run failed, and says why.
            """)

    @Option(help: "Processes that commit at the same time.")
    var processes = 4

    @Option(help: "Threads of all of them, in the largest shape; a multiple of --processes.")
    var threads = 16

    @Option(help: "Instead of these: processes x threads, such as 1x4,4x1,4x4; nothing is bare.")
    var shapes: Values<CommitShape>?

    @Flag(help: "Commits do not wait for the disk; nothing is bare.")
    var relaxed = false

    @Option(help: "How often everything is measured.")
    var rounds = 5

    @Option(help: "For how long, each time, after half as long that does not count.")
    var seconds = 2.0

    @Flag(help: "Leaves the store without encryption.")
    var plain = false

    @Option(help: "Where stores are made, in a temporary folder.")
    var directory = "."

    @Option(help: "Writes all samples to this file, as JSON.")
    var json: String?

    func validate() throws {
        guard (1...64).contains(processes), (1...1024).contains(threads), threads % processes == 0
        else { throw ValidationError("--threads is a multiple of --processes; at most 1024, 64") }
        guard (1...1000).contains(rounds), (0.01...600).contains(seconds) else {
            throw ValidationError("--rounds is 1 to 1000, --seconds 0.01 to 600")
        }
    }

    func run() throws {
        try report {
            Interruption.shared.listen()
            let result = try asked().result { Terminal.write("\($0)\n") }
            if let json {
                try Descriptor.replace(json).write([UInt8](JSONEncoder().encode(result)))
            }
            print(result.lines.joined(separator: "\n"))
            return .met
        }
    }

    private func asked() throws -> CommitRun {
        var run = CommitRun(program: try Executable.path(), directory: directory)
        run.shapes = [CommitShape(processCount: processes, threadCount: 1)]
        if threads > processes {
            run.shapes.append(
                CommitShape(processCount: processes, threadCount: threads / processes))
        }
        if let shapes { run.shapes = shapes.list.filter { $0 != .one } }
        if relaxed { run.durability = .relaxed }
        if relaxed || shapes != nil { run.contenders = [.write, .groupWrite] }
        run.roundCount = rounds
        run.measuredNanoseconds = UInt64(seconds * 1e9)
        run.isEncrypted = !plain
        return run
    }
}
