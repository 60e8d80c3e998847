import BullaRecords
import BullaRecordsSupport
import Testing

/// A suite in which each test syncs a program's notes with a container of its own.
protocol SyncSuite {
    var fixture: ContainerFixture { get }
    var notes: SyncedNotes { get }
}

extension SyncSuite {
    var database: CKDatabase { fixture.container.privateCloudDatabase }

    func engine(
        of notes: SyncedNotes? = nil, in database: CKDatabase? = nil,
        _ state: CKSyncEngine.State.Serialization? = nil, isAutomatic: Bool = false
    ) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(
            database: database ?? self.database, stateSerialization: state,
            delegate: notes ?? self.notes)
        configuration.automaticallySync = isAutomatic
        return CKSyncEngine(configuration)
    }

    /// The texts of the notes in the database.
    func stored(in database: CKDatabase? = nil) async throws -> [String: String] {
        let page = try await (database ?? self.database).recordZoneChanges(
            inZoneWith: ContainerFixture.zoneID, since: nil)
        #expect(!page.moreComing)
        var texts: [String: String] = [:]
        for (id, result) in page.modificationResultsByID {
            texts[id.recordName] = try result.get().record.encryptedValues["text"] ?? ""
        }
        return texts
    }

    /// How many changes are pending in the state that the program has stored.
    func pendingCount() -> Int? {
        notes.savedState.map { engine($0).state.pendingRecordZoneChanges.count }
    }

    /// Waits until a condition holds.
    func until(
        _ state: @autoclosure () -> String = "", _ condition: () -> Bool
    ) async throws {
        for _ in 0..<3_000 {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("what was waited for did not come: \(state())")
    }
}
