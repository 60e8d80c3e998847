package import BullaRecords
import Foundation
package import Synchronization

/// A program with notes of its own, which an engine syncs; it handles conflicts as Apple's sample
/// of the engine does.
///
/// A note is a text. Of two texts that were written at once, the greater one wins.
package final class SyncedNotes: CKSyncEngineDelegate {
    struct Note: Equatable {
        var text: String
        /// The record that was last saved or fetched.
        var record: CKRecord?

        static func == (one: Note, other: Note) -> Bool { one.text == other.text }
    }

    struct Contents {
        var notes: [String: Note] = [:]
        var events: [String] = []
        var savedState: CKSyncEngine.State.Serialization?
        var zonesGone: [CKDatabase.DatabaseChange.Deletion] = []
        var errors: [CKError.Code] = []
    }

    package let zone: CKRecordZone.ID
    private let contents = Mutex(Contents())
    /// Runs when the engine asks for a batch.
    package let beforeBatch = Mutex<@Sendable (CKSyncEngine) -> Void>({ _ in })
    /// `whenAsked` runs while the engine waits for a batch, and `whenSent` while it tells what it
    /// has sent.
    package let whenAsked = Mutex<@Sendable () async -> Void>({})
    package let whenSent = Mutex<@Sendable (CKSyncEngine) async -> Void>({ _ in })
    /// Whether a batch is all or nothing.
    package let isAtomic = Mutex(false)

    package init(_ zone: CKRecordZone.ID) { self.zone = zone }

    package var texts: [String: String] { contents.withLock { $0.notes.mapValues(\.text) } }
    package var events: [String] { contents.withLock { $0.events } }
    /// The texts, each with the change tag of its record as last saved or fetched.
    package var versions: [String: [String]] {
        contents.withLock { $0.notes.mapValues { [$0.text, $0.record?.recordChangeTag ?? ""] } }
    }
    package var savedState: CKSyncEngine.State.Serialization? {
        contents.withLock { $0.savedState }
    }
    package var zonesGone: [CKDatabase.DatabaseChange.Deletion] {
        contents.withLock { $0.zonesGone }
    }
    package var errors: [CKError.Code] { contents.withLock { $0.errors } }

    package func forgetEvents() { contents.withLock { $0.events = [] } }

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

    /// Writes a note; `nil` deletes it.
    package func write(_ text: String?, _ name: String, _ engine: CKSyncEngine) {
        contents.withLock { contents in
            if let text {
                contents.notes[name, default: Note(text: "")].text = text
            } else {
                contents.notes[name] = nil
            }
        }
        engine.state.add(pendingRecordZoneChanges: [
            text == nil ? .deleteRecord(id(name)) : .saveRecord(id(name))
        ])
    }

    package func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        contents.withLock { contents in
            if case .stateUpdate(let update) = event {
                contents.savedState = update.stateSerialization
            } else {
                contents.events.append(event.description)
            }
        }
        switch event {
        case .accountChange(let change):
            if case .signIn = change.changeType { uploadAll(syncEngine) } else { removeAll() }
        case .fetchedDatabaseChanges(let changes): take(changes)
        case .fetchedRecordZoneChanges(let changes): take(changes)
        case .sentRecordZoneChanges(let changes):
            take(changes, syncEngine)
            let hook = whenSent.withLock { $0 }
            await hook(syncEngine)
        case .didFetchRecordZoneChanges(let fetch): if let error = fetch.error { note(error) }
        case .sentDatabaseChanges(let changes):
            for failure in changes.failedZoneSaves { note(failure.error) }
        default: break
        }
    }

    private func note(_ error: CKError) { contents.withLock { $0.errors.append(error.code) } }

    package func uploadAll(_ engine: CKSyncEngine) {
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
        let names = contents.withLock { $0.notes.keys.sorted() }
        engine.state.add(pendingRecordZoneChanges: names.map { .saveRecord(id($0)) })
    }

    private func removeAll() { contents.withLock { $0.notes = [:] } }

    private func take(_ changes: CKSyncEngine.Event.FetchedDatabaseChanges) {
        contents.withLock { contents in
            for deletion in changes.deletions where deletion.zoneID == zone {
                contents.zonesGone.append(deletion)
                if deletion.reason == .deleted { contents.notes = [:] }
            }
        }
    }

    private func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges) {
        contents.withLock { contents in
            for modification in changes.modifications { contents.merge(modification.record) }
            for deletion in changes.deletions {
                contents.notes[deletion.recordID.recordName] = nil
            }
        }
    }

    private func take(
        _ changes: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine
    ) {
        var again: [CKRecord.ID] = []
        var isZoneMissing = false
        contents.withLock { contents in
            for record in changes.savedRecords {
                contents.notes[record.recordID.recordName]?.record = record
            }
            for failure in changes.failedRecordSaves {
                let id = failure.record.recordID
                contents.errors.append(failure.error.code)
                switch failure.error.code {
                case .serverRecordChanged:
                    guard let server = failure.error.serverRecord else { continue }
                    if contents.merge(server) { again.append(id) }
                case .zoneNotFound:
                    isZoneMissing = true
                    contents.notes[id.recordName]?.record = nil
                    again.append(id)
                case .unknownItem:
                    // Others have deleted it; what was written here is saved as a new note.
                    contents.notes[id.recordName]?.record = nil
                    again.append(id)
                default: break
                }
            }
        }
        if isZoneMissing {
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
        }
        engine.state.add(pendingRecordZoneChanges: again.map { .saveRecord($0) })
    }

    package func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let pending = syncEngine.state.pendingRecordZoneChanges.filter {
            context.options.scope.contains($0)
        }
        var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { id in
            guard let record = self.record(id) else {
                syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
                return nil
            }
            return record
        }
        let asked = whenAsked.withLock { $0 }
        await asked()
        batch?.atomicByZone = isAtomic.withLock { $0 }
        let hook = beforeBatch.withLock { $0 }
        hook(syncEngine)
        return batch
    }

    private func record(_ id: CKRecord.ID) -> CKRecord? {
        contents.withLock { contents in
            guard let note = contents.notes[id.recordName] else { return nil }
            let record =
                note.record?.copy() as? CKRecord ?? CKRecord(recordType: "Note", recordID: id)
            record.encryptedValues["text"] = note.text
            return record
        }
    }
}

extension SyncedNotes.Contents {
    /// Takes over a record from the database.
    ///
    /// - Returns: whether the local text wins, and has to be saved again.
    @discardableResult
    fileprivate mutating func merge(_ record: CKRecord) -> Bool {
        let name = record.recordID.recordName
        let text: String = record.encryptedValues["text"] ?? ""
        let local = notes[name]
        // The local text gives way if it was not changed since it was last saved or fetched.
        let known: String? = local?.record?.encryptedValues["text"]
        let isChanged = local != nil && local?.text != known
        let winner = isChanged ? max(local?.text ?? "", text) : text
        notes[name] = SyncedNotes.Note(text: winner, record: record)
        return winner != text
    }
}
