import BullaRecords
import Synchronization

/// A delegate that has one batch to send.
final class OneBatch: CKSyncEngineDelegate {
    private let batch: Mutex<CKSyncEngine.RecordZoneChangeBatch?>

    init(_ batch: CKSyncEngine.RecordZoneChangeBatch) { self.batch = Mutex(batch) }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        batch.withLock { batch in
            defer { batch = nil }
            return batch
        }
    }
}
