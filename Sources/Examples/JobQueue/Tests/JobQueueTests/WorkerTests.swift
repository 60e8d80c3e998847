import BullaObjects
import Foundation
import JobQueue
import Testing

@Suite(.timeLimit(.minutes(20))) struct `Workers that share a queue` {
    private let folder: Folder
    private let queue: JobQueue

    init() throws {
        folder = try Folder()
        queue = try folder.queue()
    }

    /// The job `fatal` kills the first worker that takes it, and the job `weak` fails once.
    private static let script = """
        case $1 in
        fatal) if mkdir met; then kill -9 $PPID; exit; fi ;;
        weak) if mkdir tried; then exit 1; fi ;;
        esac
        echo "$1" >> did
        """

    private func worker(_ name: String) throws -> Process {
        try folder.start(
            "work", "--lease", "1", "--rest", "0", "--attempts", "1000", "--", "sh", "-c",
            Self.script, "sh", output: name)
    }

    @Test func `do each job once, and the one of a worker that was killed again`() throws {
        let tasks = (1...30).map { "task \($0)" } + ["fatal", "weak"]
        try queue.add(tasks)
        let names = ["one", "two", "three"]
        let workers = try names.map(worker)
        for worker in workers { worker.waitUntilExit() }
        // One worker was killed, but all jobs were done, including the one that killed the worker.
        #expect(workers.count { $0.terminationReason == .uncaughtSignal } == 1)
        #expect(workers.count { $0.terminationStatus == 0 } == 2)
        let said = try names.flatMap { try folder.lines(of: $0) }
        let done = said.filter { $0.hasSuffix(" done") }.sorted()
        #expect(done == (1...32).map { "\($0) done" }.sorted())
        let jobs = try queue.database.read { try $0.fetch(Job.all) }
        #expect(jobs.map(\.task) == tasks)
        #expect(jobs.allSatisfy { $0.state == .done })
        #expect(jobs[30].attempts >= 2)
        #expect(try Set(folder.lines(of: "did")) == Set(tasks))
    }

    @Test func `are watched by another process`() throws {
        try queue.add(["weak", "strong"])
        let watcher = try folder.start("watch", output: "seen")
        try awaitLine("2 open: strong", from: watcher)
        let worker = try worker("one")
        worker.waitUntilExit()
        #expect(worker.terminationStatus == 0)
        try awaitLine("2 done: strong", from: watcher)
        try awaitLine("1 done: weak", from: watcher)
        #expect(try folder.lines(of: "seen").contains("1 open: weak (exit 1)"))
        watcher.terminate()
    }

    private func awaitLine(_ line: String, from watcher: Process) throws {
        while try !folder.lines(of: "seen").contains(line) {
            try #require(watcher.isRunning)
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}
