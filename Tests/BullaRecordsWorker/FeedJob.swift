#if PostgreSQL
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport

/// Follows several zones until its input ends, and then reports its copies of them.
///
/// Pages have random sizes. Now and then, a follower goes back to an older copy, and goes on from
/// there.
struct FeedJob {
    private let backend: any RecordBackend
    private var followers: [Follower]
    private var random: TestRandom

    init(_ command: TrialCommand) throws {
        let backend = try ServedTrial.backend(command)
        followers = try TrialZone.list(try command.text("zones")).map { zone in
            try Follower(zone, in: backend)
        }
        random = TestRandom(seed: try command.number("seed"))
        self.backend = backend
    }

    mutating func run() throws {
        Line.say("ready")
        let end = InputWatch()
        var commit: UInt64 = 0
        while !end.hasCome {
            let next = try patiently { () throws(RecordError) in
                try backend.waitForCommit(after: commit, timeout: .milliseconds(200))
            }
            guard let next else { continue }
            commit = next
            for index in followers.indices { try followers[index].follow(backend, &random) }
        }
        for follower in followers { try follower.report(backend) }
    }
}

/// A follower of one zone.
private struct Follower {
    private let zone: TrialZone
    private let life: ZoneLife
    private var copy = FeedCopy()
    /// Some of its older copies; the first is empty, from before the first page.
    private var kept = [FeedCopy()]

    private static let keptCount = 5

    init(_ zone: TrialZone, in backend: any RecordBackend) throws {
        (self.zone, life) = (zone, try zone.life(in: backend))
    }

    /// Reads the zone's pages up to the last one, unless its site is away.
    mutating func follow(
        _ backend: any RecordBackend, _ random: inout TestRandom
    ) throws(RecordError) {
        if random.isOne(in: 32) { copy = random.pick(kept) }
        do throws(RecordError) {
            var hasMore = true
            while hasMore {
                hasMore = try copy.turn(1 + random.below(9), backend, life)
                if random.isOne(in: 6) { keep(&random) }
            }
        } catch {
            guard error.code == .unavailable else { throw error }
        }
    }

    private mutating func keep(_ random: inout TestRandom) {
        guard kept.count == Self.keptCount else { return kept.append(copy) }
        kept[1 + random.below(kept.count - 1)] = copy
    }

    /// Checks that all copies have the same records after the last page, and reports those.
    func report(_ backend: any RecordBackend) throws {
        let last = try finished(copy, backend)
        for older in kept {
            guard try finished(older, backend).records == last.records else {
                throw WorkerFailure.impossible("a follower of \(zone.text) has skipped something")
            }
        }
        for (name, state) in last.states { Line.say("\(zone.text)/\(name)=\(state)") }
    }

    /// What a copy has become once it has read the last page.
    private func finished(
        _ start: FeedCopy, _ backend: any RecordBackend
    ) throws(RecordError) -> FeedCopy {
        var (copy, hasMore) = (start, true)
        while hasMore {
            hasMore = try patiently { () throws(RecordError) in
                try copy.turn(50, backend, life)
            }
        }
        return copy
    }
}
#endif
