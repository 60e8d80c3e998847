import BullaRecords
import BullaTestSupport
import Foundation
import Synchronization
import Testing

/// Writers and followers of one account, and movers that bring it from site to site and may end
/// before any step, all at once.
///
/// Each has a gateway of its own.
package struct MoveStorm: Sendable {
    private static let changeCount = 3

    private let gateways: [PlacedSites]
    private let zone: ZoneLife
    private let writerCount: Int
    private let batchCount: Int
    private let seed: UInt64

    /// - Parameter gateway: makes a new gateway with each call, always over the same sites.
    package init(
        seed: UInt64, writerCount: Int = 2, batchCount: Int, _ gateway: () throws -> PlacedSites
    ) throws {
        gateways = try (0..<writerCount + 4).map { _ in try gateway() }
        (self.writerCount, self.batchCount, self.seed) = (writerCount, batchCount, seed)
        var bench = BackendBench(gateways[0].placed, seed: seed)
        zone = try bench.zone("storm", in: bench.database())
    }

    /// How far the storm has come.
    private final class Course: Sendable {
        let batchCount = Atomic(0)
        let moveCount = Atomic(0)
        let stopCount = Atomic(0)
        let isCalm = Atomic(false)
        let hasFailed = Atomic(false)
        let writersHaveEnded = Atomic(false)
        /// Is signalled once for each batch, and for each failure.
        let progress = DispatchSemaphore(value: 0)

        /// Whether enough moves have ended, enough were stopped, and all disturbances have
        /// happened.
        var isEnough: Bool {
            moveCount.load(ordering: .relaxed) > 1 && stopCount.load(ordering: .relaxed) > 0
                && isCalm.load(ordering: .relaxed)
        }

        func thread(_ body: @escaping @Sendable () throws -> Void) -> StormThread {
            StormThread {
                do { try body() } catch {
                    self.hasFailed.store(true, ordering: .relaxed)
                    self.progress.signal()
                    throw error
                }
            }
        }
    }

    /// Lets each writer commit `batchCount` batches, and then more until `Course.isEnough`.
    ///
    /// - Parameter disturbances: happen one after the other, some batches apart.
    package func run(disturbances: [@Sendable () throws -> Void] = []) throws {
        let course = Course()
        let timeline = try gateways[0].placed.timeline(of: zone.database)
        let writers = (0..<writerCount).map { number in
            course.thread { try write(number, course) }
        }
        let others =
            [course.thread { try disturb(by: disturbances, course) }]
            + (0..<2).map { number in course.thread { try follow(number, course) } }
            + (0..<2).map { number in course.thread { try move(number, course) } }
        var failures = writers.compactMap { $0.failure() }
        course.writersHaveEnded.store(true, ordering: .releasing)
        failures += others.compactMap { $0.failure() }
        if let error = failures.first { throw error }
        try gateways[0].mover().resume(zone.database)
        let home = try #require(try gateways[0].placed.entry(of: zone.database)).home
        try gateways[0].expectSettled(zone.database, at: home)
        #expect(try gateways[0].placed.timeline(of: zone.database) == timeline)
        let total = course.batchCount.load(ordering: .relaxed) * Self.changeCount
        let head = try gateways[0].placed.zone(named: zone.name, in: zone.database)
        #expect(head?.version == UInt64(total))
    }

    private func disturb(
        by disturbances: [@Sendable () throws -> Void], _ course: Course
    ) throws {
        for disturbance in disturbances {
            for _ in 0..<20 {
                course.progress.wait()
                guard !course.hasFailed.load(ordering: .relaxed) else { return }
            }
            try disturbance()
        }
        course.isCalm.store(true, ordering: .relaxed)
    }

    /// Commits batches; a batch whose reply is lost is sent again.
    private func write(_ number: Int, _ course: Course) throws {
        var bench = BackendBench(gateways[number].placed, seed: seed &* 100 &+ UInt64(number) &+ 1)
        var count = 0
        while count < batchCount || !course.isEnough {
            guard !course.hasFailed.load(ordering: .relaxed) else { return }
            bench.time += 1
            let changes = (0..<Self.changeCount).map { index in
                let name = "w\(number).\((count + index) % 10)"
                return BackendBatch.Change(name, expected: .anything, entry: bench.entry())
            }
            let batch = bench.batch(changes, in: zone)
            let outcome = try patiently { () throws(RecordError) in
                try bench.backend.commit(batch)
            }
            guard case .committed(let first) = outcome else {
                throw RecordError(.internalError, "a batch was answered by \(outcome)")
            }
            let again = try patiently { () throws(RecordError) in
                try bench.backend.outcome(of: batch.identifier, in: zone)
            }
            #expect(again == first)
            count += 1
            course.batchCount.add(1, ordering: .relaxed)
            course.progress.signal()
        }
    }

    /// Follows the zone, and checks at the end that the copy has what a new reader finds.
    private func follow(_ number: Int, _ course: Course) throws {
        let placed = gateways[writerCount + number].placed
        var (copy, last): ([String: StoredRecord], UInt64) = ([:], 0)
        var isLastTurn = false
        while !isLastTurn {
            isLastTurn = course.writersHaveEnded.load(ordering: .acquiring)
            var hasMore = true
            while hasMore {
                let page = try patiently { () throws(RecordError) in
                    try placed.changes(in: zone, after: last, limit: 7)
                }
                guard let page else { throw RecordError(.zoneNotFound, "the zone is gone") }
                for (name, record) in page.changes {
                    guard record.version > last, record.version <= page.headVersion else {
                        throw RecordError(.damaged, "versions do not rise")
                    }
                    (copy[name], last) = (record, record.version)
                }
                hasMore = page.hasMore
            }
        }
        let all = try patiently { () throws(RecordError) in
            try placed.changes(in: zone, after: 0, limit: 100_000)
        }
        var found: [String: StoredRecord] = [:]
        for (name, record) in all?.changes ?? [] { found[name] = record }
        #expect(found == copy && !copy.isEmpty)
    }

    /// Moves the account from site to site; often, a mover ends early.
    private func move(_ number: Int, _ course: Course) throws {
        let sites = gateways[writerCount + 2 + number]
        var random = TestRandom(seed: seed &* 7 &+ UInt64(number))
        while !course.writersHaveEnded.load(ordering: .acquiring) {
            let target = random.pick(sites.names)
            let stepCount = random.isOne(in: 2) ? random.below(20) : .max
            do {
                sites.note(1_800_000_000_000)
                if try sites.move(zone.database, to: target, stepCount: stepCount) {
                    course.moveCount.add(1, ordering: .relaxed)
                } else {
                    course.stopCount.add(1, ordering: .relaxed)
                }
            } catch let error as RecordError {
                // Another mover has sent the account elsewhere, or a site is away.
                guard [.invalidArguments, .unavailable].contains(error.code) else { throw error }
                if error.code == .invalidArguments { try resume(sites) }
            }
        }
    }

    private func resume(_ sites: PlacedSites) throws {
        do throws(RecordError) { try sites.mover().resume(zone.database) } catch {
            guard error.code == .unavailable else { throw error }
        }
    }
}

/// A thread of its own for work that blocks.
private final class StormThread: Sendable {
    private let result = Mutex<(any Error)?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            do { try body() } catch { result.withLock { $0 = error } }
            ended.signal()
        }
    }

    /// Waits until the thread ends; returns the error with which it ended, if any.
    func failure() -> (any Error)? {
        ended.wait()
        return result.withLock { $0 }
    }
}
