internal import ArgumentParser
internal import Bulla
internal import BullaObjects
internal import Foundation
internal import JobQueue

/// The command `queue`.
@main
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Shares jobs among processes.",
        subcommands: [Add.self, Work.self, List.self, Watch.self])
}

/// The queue, and the key that opens it.
struct QueueArguments: ParsableArguments {
    @Argument(help: "The queue's file.", completion: .file()) var file: String
    @Option(help: "A file with the queue's key, 64 bytes.", completion: .file())
    var keyFile: String

    func open() throws -> JobQueue {
        try JobQueue(at: file, key: StoreKey(contentsOfFile: keyFile))
    }
}

/// Prints a line without a buffer, so that the output of a killed process is complete.
func say(_ line: some CustomStringConvertible) throws {
    try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

extension QueueCommand {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Adds a job for each task.")
        @OptionGroup var queue: QueueArguments
        @Argument(help: "The tasks.") var tasks: [String]

        func run() throws { try queue.open().add(tasks) }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists all jobs.")
        @OptionGroup var queue: QueueArguments

        func run() throws {
            let jobs = try queue.open().database.read { try $0.fetch(Job.all) }
            for job in jobs { try say(job) }
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists all jobs, and then each job that a process adds, takes or ends.")
        @OptionGroup var queue: QueueArguments

        func run() async throws {
            for try await change in try queue.open().database.changes(of: Job.all) {
                for job in change.inserted + change.updated { try say(job) }
            }
        }
    }

    struct Work: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Does jobs until none is open: runs a program with each task.")
        @OptionGroup var queue: QueueArguments
        @Option(help: "How many seconds a job may take.") var lease = 60.0
        @Option(help: "How many seconds a failed job rests.") var rest = 1.0
        @Option(help: "How many workers may take a job.") var attempts = 3
        @Flag(help: "Wait for new jobs if none is open.") var stay = false
        @Argument(help: "The program, and its arguments before the task.") var program: [String]

        func run() throws {
            var queue = try queue.open()
            (queue.lease, queue.rest, queue.attemptLimit) = (lease, rest, attempts)
            while try queue.awaitWork(staying: stay) {
                while let job = try queue.take() { try perform(job, of: queue) }
            }
        }

        private func perform(_ job: Job, of queue: JobQueue) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = program + [job.task]
            try process.run()
            process.waitUntilExit()
            let status = process.terminationStatus
            let counts =
                status == 0 ? try queue.finish(job) : try queue.fail(job, "exit \(status)")
            try say("\(job.number) \(status == 0 ? "done" : "failed")\(counts ? "" : " too late")")
        }
    }
}
