import Bulla
import BullaObjects
import Foundation
import JobQueue
import Testing

@Suite struct `A queue` {
    private let folder: Folder
    private let queue: JobQueue
    private let start = Date(timeIntervalSinceReferenceDate: 8e8)

    init() throws {
        folder = try Folder()
        queue = try folder.queue()
    }

    @Test func `gives each job to one worker, and first the one that waits longest`() throws {
        #expect(try queue.add(["a", "b"]).map(\.number) == [1, 2])
        #expect(try queue.add(["c"]).map(\.number) == [3])
        let other = try folder.queue()
        let taken = try [queue, other, queue, other].map { try $0.take(at: start)?.task }
        #expect(taken == ["a", "b", "c", nil])
    }

    @Test func `ends when all jobs are done`() throws {
        try queue.add(["a"])
        #expect(try queue.awaitWork(staying: false))
        let job = try #require(try queue.take())
        #expect(try queue.finish(job))
        #expect(try !queue.awaitWork(staying: false))
        #expect(try queue.take(at: .distantFuture) == nil)
    }

    @Test func `gives a job again when its lease is over, and hears its last worker`() throws {
        try queue.add(["a"])
        let first = try #require(try queue.take(at: start))
        #expect(try queue.take(at: start + queue.lease - 1) == nil)
        let second = try #require(try queue.take(at: start + queue.lease))
        #expect(second.attempts == 2)
        #expect(try !queue.finish(first))
        #expect(try !queue.fail(first, "late"))
        #expect(try queue.finish(second))
        #expect(try !queue.finish(second))
    }

    @Test func `gives a job again that has failed, after a rest, and not for ever`() throws {
        try queue.add(["a"])
        var now = start
        for attempt in 1...queue.attemptLimit {
            let job = try #require(try queue.take(at: now))
            #expect(job.attempts == attempt)
            #expect(try queue.fail(job, "attempt \(attempt)", at: now))
            #expect(try queue.take(at: now) == nil)
            now += queue.rest
        }
        #expect(try queue.take(at: .distantFuture) == nil)
        let jobs = try queue.database.read { try $0.fetch(Job.where { $0.state == .failed }) }
        #expect(jobs.map(\.description) == ["1 failed: a (attempt 3)"])
    }

    @Test func `gives up a job that no worker comes back from, and goes on with others`() throws {
        try queue.add(["fatal"])
        var now = start
        for _ in 1...queue.attemptLimit {
            #expect(try queue.take(at: now)?.task == "fatal")
            now += queue.lease
        }
        try queue.add(["b"])
        let taken = try [queue.take(at: now)?.task, queue.take(at: now)?.task]
        #expect(taken == ["b", nil])
        let fatal = try queue.database.read { try $0.fetch(Job.self, key: 1) }
        #expect(fatal?.description == "1 failed: fatal (no worker came back from it)")
    }

    @Test func `finds the next job by its index, among many that are done`() throws {
        try queue.add((1...9).map { "\($0)" })
        for _ in 1...8 {
            let job = try #require(try queue.take())
            #expect(try queue.finish(job))
        }
        let plan = try queue.database.read { snapshot in
            try snapshot.explain(
                Job.where { $0.state == .open && $0.due <= start }.sorted(by: \.due))
        }
        #expect(plan == "look in the index of Job.state, due: nothing else narrows it")
    }
}
