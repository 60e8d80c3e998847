#if Remote
import Bulla
import BullaRecords
import BullaRecordsRemote
import BullaRecordsSupport
import BullaTestSupport

/// What a person does with a program on a device, driven by a seed.
struct NoteJob {
    private static let noteCount = 12
    private static let zone = CKRecordZone.ID(zoneName: "Notes")

    private var random: TestRandom
    private let line: BrokenLine
    private let container: CKContainer
    private let notes = SyncedNotes(Self.zone)
    private var engine: CKSyncEngine

    /// Signs in; `nil` if a value is missing.
    init?(_ values: [String: String]) async throws {
        guard let url = values["url"], let token = values["token"],
            let account = values["account"], let seed = values["seed"].flatMap({ UInt64($0) })
        else { return nil }
        random = TestRandom(seed: seed)
        let access = try RecordServiceAccess(url: url, token: Secret(token))
        // A pause would only make the test longer, because the engine is asked again and again
        // anyway.
        let patience = RemotePatience(pause: { _ in })
        let line = BrokenLine(seed: seed)
        self.line = line
        container = try CKContainer.connect(
            identifier: "iCloud.org.example.notes", to: access, patience: patience
        ) { transport in
            line.carry(transport)
            return line
        }
        try await container.signIn(
            accountName: account, password: Secret("the password of \(account)"))
        engine = Self.engine(container, notes, nil)
    }

    private static func engine(
        _ container: CKContainer, _ notes: SyncedNotes, _ state: CKSyncEngine.State.Serialization?
    ) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(
            database: container.privateCloudDatabase, stateSerialization: state, delegate: notes)
        configuration.automaticallySync = false
        return CKSyncEngine(configuration)
    }

    /// - Returns: `false` for an unknown command.
    mutating func perform(_ command: String) async throws -> Bool {
        let words = command.split(separator: " ")
        switch (words.first, words.count) {
        case ("work", 2):
            for _ in 0..<(Int(words[1]) ?? 0) { await step() }
        case ("settle", 1): await settle()
        case ("report", 1):
            for (name, version) in notes.versions.sorted(by: { $0.key < $1.key }) {
                Line.say("\(name)=\(version.joined(separator: " "))")
            }
        default: return false
        }
        return true
    }

    private mutating func step() async {
        let name = "n\(random.below(Self.noteCount))"
        switch random.below(10) {
        case 0...4: notes.write("\(random.below(1_000_000))", name, engine)
        case 5: notes.write(nil, name, engine)
        case 6: line.state = random.pick([.whole, .faulty, .cut])
        case 7: await restart()
        default: await sync()
        }
    }

    /// Syncs; what fails is synced the next time.
    private func sync() async {
        try? await engine.fetchChanges()
        try? await engine.sendChanges()
    }

    /// Begins again from the state that was stored last, as after a relaunch, unless changes are
    /// pending in it or in the present one.
    private mutating func restart() async {
        await engine.cancelOperations()
        let next = Self.engine(container, notes, notes.savedState)
        guard engine.state.pendingRecordZoneChanges.isEmpty,
            engine.state.pendingDatabaseChanges.isEmpty,
            next.state.pendingRecordZoneChanges.isEmpty,
            next.state.pendingDatabaseChanges.isEmpty
        else { return }
        engine = next
    }

    private func settle() async {
        line.state = .whole
        await sync()
        // The first sync fetches before it sends. If it learns of something when it sends, the
        // second sync fetches that.
        await sync()
        let pending =
            engine.state.pendingRecordZoneChanges.count
            + engine.state.pendingDatabaseChanges.count
        Line.say("pending", pending)
    }

    func end() async throws { try await container.close() }
}
#endif
