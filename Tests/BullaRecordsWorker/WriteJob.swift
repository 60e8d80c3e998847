import BullaRecords
import BullaTestSupport
import Foundation

/// Saves and deletes records of several zones that others change, delete and make again.
struct WriteJob {
    private let site: TrialSite
    private let view: DatabaseView
    private let zones: [String]
    private let target: Int
    private let worker: Int
    private var random: TestRandom
    private var made = 0

    /// The number of names in a zone, which is so small that writers conflict.
    private static let nameCount = 150

    init(_ command: TrialCommand) throws {
        site = try command.site()
        view = try site.view(command.account())
        zones = try command.text("zones").split(separator: ",").map { String($0) }
        (target, worker) = (try command.number("changes"), try command.number("worker"))
        random = TestRandom(seed: 1_000 + worker)
    }

    mutating func run() throws {
        Line.say("ready")
        while made < target {
            let zone = random.pick(zones)
            do throws(RecordError) { try change(zone) } catch {
                // The zone is being made again, or other writers were faster each time.
                guard [.zoneNotFound, .unavailable].contains(error.code) else { throw error }
                Thread.sleep(forTimeInterval: 0.005)
            }
            Line.say("made", made)
        }
        try site.close()
    }

    private mutating func change(_ zone: String) throws(RecordError) {
        let names = Set((0...random.below(20)).map { _ in "r\(random.below(Self.nameCount))" })
        let changes = names.sorted().map { name in
            random.isOne(in: 4) ? RecordChange(name, .delete(.none)) : save(name)
        }
        let results = try view.modify(changes, in: zone, atomically: random.isOne(in: 2))
        for error in results.compactMap(\.error) {
            guard [.unavailable, .batchFailed].contains(error.code) else { throw error }
        }
        made += results.count { $0.error == nil }
    }

    private mutating func save(_ name: String) -> RecordChange {
        let text = "worker \(worker), change \(made)"
        let fields: [String: RecordChange.FieldChange?] = [
            "secret": .init(.string(text), isEncrypted: true),
            "open": .init(.int64(Int64(made))),
        ]
        return RecordChange(name, .save(.init("Note", .none, fields: fields)))
    }
}
