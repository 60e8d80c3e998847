internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText
internal import Foundation

struct CommitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commits",
        abstract: "Compares the durable commits of many writers with those of one writer.",
        discussion: """
            Processes that commit at the same time share flushes. The table shows their commits as \
            a multiple of one writer's, on the same disk and in the same round (median, lowest and \
            highest of the rounds), and how many flushes a commit took.

            "bare" has no store. Its commits hold a lock for the time that the row names, write 16 \
            KiB and share flushes. A store that commits one by one and holds its lock for as long \
            will hardly do better on this machine.

            Exit status: 0 measured; 64 and above: the run failed; the message says why.
            """)

    @Option(help: "Processes that commit at the same time.")
    var processes = 4

    @Option(help: "Threads of all processes in the largest shape; a multiple of --processes.")
    var threads = 16

    @Option(help: "Instead of both: processes x threads of each, as in 1x4,4x4; no bare commits.")
    var shapes: Values<CommitShape>?

    @Flag(help: "Commits do not wait for the disk; without bare commits.")
    var relaxed = false

    @Option(help: "How many times everything is measured.")
    var rounds = 5

    @Option(help: "Seconds of each measurement, after a warm-up of half as long.")
    var seconds = 2.0

    @Flag(help: "Leaves the store without encryption.")
    var plain = false

    @Option(help: "The folder in which a temporary folder for the stores is made.")
    var directory = "."

    @Option(help: "Writes all samples to this file, as JSON.")
    var json: String?

    func validate() throws {
        guard (1...64).contains(processes), (1...1024).contains(threads), threads % processes == 0
        else { throw ValidationError("--processes is 1 to 64, --threads a multiple, up to 1024") }
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
