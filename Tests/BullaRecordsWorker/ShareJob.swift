import BullaRecords
import BullaTestSupport
import Foundation

/// Takes part in a share of a record, while the owner moves branches into and out of the share.
///
/// It saves records below those that it sees, keeps some of its copies of the zone, and continues
/// from each of them when its input has ended.
struct ShareJob {
    private let site: TrialSite
    private let view: DatabaseView
    private let zone: String
    private let target: Int
    private let worker: Int
    private var random: TestRandom
    private var copy = ZoneCopy()
    private var kept: [ZoneCopy] = []
    private var made = 0

    private static let keptCount = 8

    init(_ command: TrialCommand) throws {
        site = try command.site()
        let key = try TrialSite.key(UInt8(clamping: command.number("key")))
        let keys = try site.keyring.unlock(
            command.account(), in: TrialSite.place, with: key)
        view = try site.core.database(.shared, .account(keys)).zones(of: command.account("owner"))
        zone = try command.text("zone")
        (target, worker) = (try command.number("changes"), try command.number("worker"))
        random = TestRandom(seed: 2_000 + worker)
    }

    mutating func run() throws {
        Line.say("ready")
        while made < target {
            do throws(RecordError) { try change() } catch {
                // The branch was moved away, others were faster each time, or the share has
                // changed.
                let expected: [RecordError.Code] = [
                    .permissionFailure, .referenceViolation, .unavailable, .zoneNotFound,
                ]
                guard expected.contains(error.code) else { throw error }
                Thread.sleep(forTimeInterval: 0.005)
            }
            Line.say("made", made)
        }
        Line.say("ready")
        Line.awaitEnd()
        try follow()
        for var late in kept {
            do throws(RecordError) { while try late.turn(7, view, zone) {} } catch {
                guard error.code == .changeTokenExpired else { throw error }
                continue
            }
            guard late.tags == copy.tags else {
                throw WorkerFailure.impossible("a participant has skipped something")
            }
        }
        for (name, tag) in copy.tags { Line.say("\(name)=\(tag.text)") }
        try site.close()
    }

    private mutating func change() throws(RecordError) {
        try follow()
        let seen = copy.tags.keys.sorted()
        guard !seen.isEmpty else { throw DatabaseView.nothingSeen }
        let zoneID = ZoneIdentifier(zone, owner: view.database.owner)
        let parent = RecordIdentifier(random.pick(seen), in: zoneID)
        let isNew = random.isOne(in: 3)
        let name = isNew ? "w\(worker).\(made)" : random.pick(seen)
        let save = RecordChange.Save(
            "Note", .none,
            fields: ["secret": .init(.string("\(worker) \(made)"), isEncrypted: true)],
            parent: isNew ? .record(parent) : nil)
        let results = try view.modify([RecordChange(name, .save(save))], in: zone)
        if let error = results[0].error { throw error }
        made += 1
    }

    private mutating func follow() throws(RecordError) {
        do throws(RecordError) {
            var hasMore = true
            while hasMore {
                hasMore = try copy.turn(1 + random.below(5), view, zone)
                if random.isOne(in: 8) { keep() }
            }
        } catch {
            guard error.code == .changeTokenExpired else { throw error }
            copy = ZoneCopy()
            try follow()
        }
    }

    private mutating func keep() {
        guard kept.count == Self.keptCount else { return kept.append(copy) }
        kept[random.below(kept.count)] = copy
    }
}

extension DatabaseView {
    fileprivate static let nothingSeen = RecordError(.zoneNotFound, "nothing is shared yet")
}
