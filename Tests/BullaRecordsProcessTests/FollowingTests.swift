import BullaProcessSupport
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport
import Testing

@Suite("Processes that follow a zone")
struct FollowingTests {
    private static let writerCount = 4
    private static let changeCount = TestMode.pick(short: 2_000, long: 20_000)
    private static let followersPerZone = 2
    private static let zones = ["a", "b", "c"]

    /// A worker that follows a zone.
    private struct Follower {
        let zone: String
        let process: WorkerProcess
    }

    private let crew: TrialCrew
    private let site: TrialSite
    private let account: AccountIdentifier
    private let view: DatabaseView

    init() throws {
        crew = try TrialCrew()
        site = try crew.site()
        account = try site.keyring.create(in: TrialSite.place, unlockedBy: TrialSite.key(2))
        view = try site.view(account)
        for zone in Self.zones { try view.createZone(zone) }
    }

    @Test("come to what the zone has, whatever writers and zones do meanwhile")
    func convergence() throws {
        let followers = try startFollowers()
        let writers = try startWriters()
        try followWriter(writers[0]) { made in
            if made == 1 { try recreate("a") }
            if made == 2 { try site.core.forgetDeletions(before: .max) }
            if made == 3 { try recreate("b") }
        }
        for writer in writers {
            _ = try writer.lines()
            try crew.expectEnd(of: writer)
        }
        // The other writers may have ended before a zone was made again; this one fills it.
        let last = try writer(number: Self.writerCount, changes: 100)
        _ = try last.lines()
        try crew.expectEnd(of: last)
        for follower in followers { try end(follower) }
        try site.close()
    }

    private func startFollowers() throws -> [Follower] {
        let user = "account=\(account.userRecordName)"
        var followers: [Follower] = []
        for zone in Self.zones {
            for _ in 0..<Self.followersPerZone {
                let seed = "seed=\(followers.count + 1)"
                let process = try crew.worker("follow", user, "zone=\(zone)", seed)
                followers.append(Follower(zone: zone, process: process))
            }
        }
        for follower in followers { _ = try follower.process.values() }
        return followers
    }

    private func startWriters() throws -> [WorkerProcess] {
        try (0..<Self.writerCount).map { number in
            try writer(number: number, changes: Self.changeCount / Self.writerCount)
        }
    }

    private func writer(number: Int, changes: Int) throws -> WorkerProcess {
        try crew.worker(
            "write", "account=\(account.userRecordName)",
            "zones=\(Self.zones.joined(separator: ","))", "changes=\(changes)", "worker=\(number)")
    }

    /// Runs `body` after each of the first three quarters of a writer's work.
    private func followWriter(_ writer: WorkerProcess, _ body: (Int) throws -> Void) throws {
        let quarter = UInt64(Self.changeCount / Self.writerCount / 4)
        var past: UInt64 = 0
        _ = try writer.values()
        while past < 3, let line = try writer.line() {
            let made = try WorkerProcess.parse(line).value
            while past < 3, made >= (past + 1) * quarter {
                past += 1
                try body(Int(past))
            }
        }
    }

    private func recreate(_ zone: String) throws {
        try view.deleteZone(zone)
        try view.createZone(zone)
    }

    /// Ends a follower, and expects that it has exactly the zone's records.
    private func end(_ follower: Follower) throws {
        follower.process.child.closeInput()
        let said = try follower.process.values()
        var tags: [String: String] = [:]
        for line in try follower.process.lines() {
            let parts = line.split(separator: "=").map { String($0) }
            try #require(parts.count == 2)
            tags[parts[0]] = parts[1]
        }
        try crew.expectEnd(of: follower.process)
        #expect(try tags == content(of: follower.zone))
        #expect(!tags.isEmpty)
        #expect(said["kept"] ?? 0 > 1)
        // One of its copies is older than the forgotten deletions, or from an earlier life of the
        // zone.
        #expect(said["expired"] ?? 0 > 0)
        // It had a token from the life that ended.
        if follower.zone != "c" { #expect(said["restarts"] ?? 0 > 0) }
    }

    /// The tags of all records of a zone, as read by a new client; expects that each is found by
    /// its name, too.
    private func content(of zone: String) throws -> [String: String] {
        var tags: [String: String] = [:]
        var page = try view.changes(in: zone)
        while true {
            for (name, record) in page.changed { tags[name] = try record.get().tag.text }
            guard page.hasMore else { break }
            page = try view.changes(in: zone, since: page.token)
        }
        let names = (0..<150).map { "r\($0)" }
        for (name, record) in zip(names, try view.records(names, in: zone)) {
            #expect((try? record.get())?.tag.text == tags[name])
        }
        return tags
    }
}
