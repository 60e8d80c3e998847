import Bulla
import BullaRecords
import BullaTestSupport

/// Follows one zone page by page, woken by other processes' commits; keeps some of its copies of
/// the zone, and continues from each of them at the end.
struct FollowJob {
    private let site: TrialSite
    private let view: DatabaseView
    private let zone: String
    private var random: TestRandom
    private var copy = ZoneCopy()
    private var kept: [ZoneCopy] = []
    private var feed: FeedWatch
    private var restarts = 0

    private static let keptCount = 12

    init(_ command: TrialCommand) throws {
        site = try command.site()
        view = try site.view(command.account())
        zone = try command.text("zone")
        random = TestRandom(seed: try command.number("seed"))
        feed = FeedWatch(EmbeddedBackend(site.records), view.database, zone)
    }

    mutating func run() throws {
        try follow()
        // This copy is from before all changes. It has to start anew if the zone is made again, or
        // if later deletions are forgotten.
        kept.append(copy)
        Line.say("ready")
        let end = InputWatch()
        var commit: UInt64 = 0
        while !end.hasCome {
            let next = try site.records.waitForCommit(after: commit, timeout: .milliseconds(200))
            guard let next else { continue }
            commit = next
            try follow()
            try feed.look()
        }
        try follow()
        try feed.look()
        let expired = try followKept()
        Line.say("restarts", restarts)
        Line.say("expired", expired)
        Line.say("kept", kept.count)
        Line.say("ready")
        for (name, tag) in copy.tags { Line.say("\(name)=\(tag.text)") }
        try site.close()
    }

    private mutating func follow() throws {
        do throws(RecordError) {
            var hasMore = true
            while hasMore {
                hasMore = try copy.turn(1 + random.below(9), view, zone)
                keep()
            }
        } catch {
            switch error.code {
            case .changeTokenExpired:
                (copy, restarts) = (ZoneCopy(), restarts + 1)
                try follow()
            // The zone is being made again; at the next attempt, the token turns out to be from its
            // former life.
            case .zoneNotFound, .unavailable: break
            default: throw error
            }
        }
    }

    /// Sometimes keeps a copy, between pages or after the last; the first one kept is never
    /// replaced.
    private mutating func keep() {
        guard random.isOne(in: 6) else { return }
        guard kept.count == Self.keptCount else { return kept.append(copy) }
        kept[1 + random.below(kept.count - 1)] = copy
    }

    /// Brings all kept copies up to date.
    ///
    /// - Returns: how many of them had to start anew.
    private func followKept() throws -> Int {
        var expired = 0
        for start in kept {
            var late = start
            do throws(RecordError) { while try late.turn(7, view, zone) {} } catch {
                guard error.code == .changeTokenExpired else { throw error }
                expired += 1
                late = ZoneCopy()
                while try late.turn(7, view, zone) {}
            }
            guard late.tags == copy.tags else {
                throw WorkerFailure.impossible("a follower of \(zone) has skipped something")
            }
        }
        return expired
    }
}

/// A follower's copy of a zone.
struct ZoneCopy {
    private(set) var tags: [String: ChangeTag] = [:]
    private var token: [UInt8]?

    /// Reads the next page; `true` if there are more.
    mutating func turn(
        _ limit: Int, _ view: DatabaseView, _ zone: String
    ) throws(RecordError) -> Bool {
        let page = try view.changes(in: zone, since: token, limit: limit)
        for (name, record) in page.changed {
            let record = try record.get()
            if record.isShare { continue }
            guard case .string = try record.value(of: "secret") else {
                throw RecordError(.damaged, "follow zone \(zone): \(name) has no secret")
            }
            tags[name] = record.tag
        }
        for (name, _) in page.deleted { tags[name] = nil }
        token = page.token
        return page.hasMore
    }
}

/// Checks that the versions of a zone's feed rise in the order in which the backend returns them.
private struct FeedWatch {
    private let backend: EmbeddedBackend
    private let database: Database
    private let zone: String
    private var life: ZoneLife?
    private var copy = FeedCopy()

    init(_ backend: EmbeddedBackend, _ database: Database, _ zone: String) {
        (self.backend, self.database, self.zone) = (backend, database, zone)
    }

    mutating func look() throws {
        guard let now = try backend.zone(named: zone, in: database).map({ ZoneLife($0) }) else {
            return
        }
        if now != life { (life, copy) = (now, FeedCopy()) }
        do throws(RecordError) { while try copy.turn(50, backend, now) {} } catch {
            // This life may have ended meanwhile; nothing else may fail.
            guard error.code == .zoneNotFound else { throw error }
        }
    }
}
