import BullaProcessSupport
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport
import Testing

@Suite("Processes that share records")
struct SharingTests {
    private static let zone = "shared"
    private static let changeCount = TestMode.pick(short: 60, long: 1_000)
    private static let branches = ["x0", "x1", "x2", "x3"]

    private let crew: TrialCrew
    private let site: TrialSite
    private let owner: DatabaseView
    private let participants: [AccountIdentifier]

    init() throws {
        crew = try TrialCrew()
        site = try crew.site()
        let account = try site.keyring.create(in: TrialSite.place, unlockedBy: TrialSite.key(2))
        owner = try site.view(account)
        try owner.createZone(Self.zone)
        participants = try [3, 4].map { [site] number in
            try site.keyring.create(in: TrialSite.place, unlockedBy: TrialSite.key(number))
        }
        // Each participant publishes its keys.
        for number in participants.indices { _ = try session(number) }
        try save("root")
        for branch in Self.branches {
            try save(branch)
            for leaf in 0..<3 { try save("\(branch).\(leaf)", below: branch) }
        }
        try share(with: participants)
        for number in participants.indices { try accept(number) }
    }

    private func session(_ number: Int) throws -> Session {
        let keys = try site.keyring.unlock(
            participants[number], in: TrialSite.place, with: TrialSite.key(UInt8(3 + number)))
        try site.core.directory.publish(keys)
        return .account(keys)
    }

    private func record(_ name: String) -> RecordIdentifier {
        RecordIdentifier(name, in: ZoneIdentifier(Self.zone, owner: owner.database.owner))
    }

    private func save(_ name: String, below parent: String? = nil) throws {
        let save = RecordChange.Save(
            "Note", .none, fields: ["secret": .init(.string("first"), isEncrypted: true)],
            parent: parent.map { .record(record($0)) })
        try change(RecordChange(name, .save(save)))
    }

    private func move(_ name: String, below parent: String?) throws {
        let save = RecordChange.Save(
            "Note", .none, fields: [:],
            parent: parent.map { .record(record($0)) } ?? RecordChange.ParentChange.none)
        try change(RecordChange(name, .save(save)))
    }

    private func share(with accounts: [AccountIdentifier]) throws {
        let wanted = Dictionary(
            uniqueKeysWithValues: accounts.map { ($0, SharePermission.readWrite) })
        let save = RecordChange.Save(
            SystemType.share, .none, fields: [:], participants: wanted, root: "root")
        try change(RecordChange("share", .save(save)))
    }

    /// Makes a change, and tries again each time that others were faster.
    private func change(_ change: RecordChange) throws {
        while true {
            do throws(RecordError) {
                let result = try owner.modify([change], in: Self.zone)[0]
                guard let error = result.error else { return }
                guard error.code == .unavailable else { throw error }
            } catch { guard error.code == .unavailable else { throw error } }
        }
    }

    private func accept(_ number: Int) throws {
        let share = try owner.records(["share"], in: Self.zone)[0].get()
        let token = try site.core.shares.token(of: try #require(share.sharing))
        _ = try site.core.shares.accept(token, try session(number))
    }

    @Test("see the same of a share, whatever its owner moves, and whomever it removes")
    func convergence() throws {
        let workers = try participants.indices.map { number in
            try crew.worker(
                "share", "account=\(participants[number].userRecordName)",
                "owner=\(try #require(owner.database.owner).userRecordName)", "key=\(3 + number)",
                "zone=\(Self.zone)", "changes=\(Self.changeCount)", "worker=\(number)")
        }
        for worker in workers { _ = try worker.values() }
        var random = TestRandom(seed: 7)
        for step in 0..<Self.changeCount / 2 {
            try move(random.pick(Self.branches), below: random.isOne(in: 3) ? nil : "root")
            guard step == Self.changeCount / 4 else { continue }
            try share(with: [participants[0]])
            try share(with: participants)
            try accept(1)
        }
        for worker in workers { _ = try worker.values() }
        for worker in workers {
            worker.child.closeInput()
            var tags: [String: String] = [:]
            for line in try worker.lines() {
                let parts = line.split(separator: "=").map { String($0) }
                try #require(parts.count == 2)
                tags[parts[0]] = parts[1]
            }
            try crew.expectEnd(of: worker)
            #expect(try tags == shared())
        }
        #expect(try owner.verify(Self.zone).fault(in: Self.zone) == nil)
        try site.close()
    }

    /// The tags of the records that the owner shares, as its feed has them.
    private func shared() throws -> [String: String] {
        var tags: [String: String] = [:]
        var page = try owner.changes(in: Self.zone)
        while true {
            for (name, record) in page.changed {
                let record = try record.get()
                if record.sharing != nil, !record.isShare { tags[name] = record.tag.text }
            }
            guard page.hasMore else { return tags }
            page = try owner.changes(in: Self.zone, since: page.token)
        }
    }
}
