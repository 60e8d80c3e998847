internal import Synchronization

extension CKSyncEngine {
    /// A change of a record that is still to be sent.
    public enum PendingRecordZoneChange: Hashable, Sendable {
        /// The record is to be saved.
        case saveRecord(CKRecord.ID)
        /// The record is to be deleted.
        case deleteRecord(CKRecord.ID)

        /// The record.
        public var recordID: CKRecord.ID {
            switch self {
            case .saveRecord(let id), .deleteRecord(let id): id
            }
        }
    }

    /// A change of a zone that is still to be sent.
    public enum PendingDatabaseChange: Hashable, Sendable {
        /// The zone is to be created.
        case saveZone(CKRecordZone)
        /// The zone is to be deleted.
        case deleteZone(CKRecordZone.ID)

        /// The zone.
        public var zoneID: CKRecordZone.ID {
            switch self {
            case .saveZone(let zone): zone.zoneID
            case .deleteZone(let id): id
            }
        }

        /// Whether both are the same change of the same zone.
        public static func == (one: Self, other: Self) -> Bool {
            switch (one, other) {
            case (.saveZone, .saveZone), (.deleteZone, .deleteZone): one.zoneID == other.zoneID
            default: false
            }
        }

        /// Hashes the zone.
        public func hash(into hasher: inout Hasher) { hasher.combine(zoneID) }
    }

    /// What an engine has fetched, and what it still has to send.
    ///
    /// Any thread may use it. After the program has changed it, the delegate soon gets a state
    /// update.
    public final class State: Sendable {
        private let data: Mutex<SyncData>
        private let hook = Mutex<@Sendable () -> Void>({})
        /// Whether the program has changed the state since the delegate last got it.
        private let isUntold = Atomic(false)

        init(_ serialization: Serialization?) {
            data = Mutex(serialization?.data ?? SyncData())
        }

        /// Sets what to do after the program has changed the state.
        func whenChanged(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0 = body } }

        /// Notes that the delegate must be told of a change; returns `false` if that was noted
        /// already.
        func beginTelling() -> Bool {
            !isUntold.exchange(true, ordering: .acquiringAndReleasing)
        }

        /// The state to pass to the delegate; after this call, only a later change requires another
        /// update.
        func told() -> Serialization {
            isUntold.store(false, ordering: .releasing)
            return serialization
        }

        /// The changes of records that are still to be sent, in the order in which they were added.
        ///
        /// - Complexity: O(n log n) for n changes.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
            data.withLock { data in
                data.records.all.map { id, isSaved in
                    isSaved ? .saveRecord(id) : .deleteRecord(id)
                }
            }
        }

        /// The changes of zones that are still to be sent, in the order in which they were added.
        public var pendingDatabaseChanges: [PendingDatabaseChange] {
            data.withLock { data in
                data.zones.all.map { zone, isSaved in
                    isSaved ? .saveZone(CKRecordZone(zoneID: zone)) : .deleteZone(zone)
                }
            }
        }

        /// Whether the program has changes to send that are not among the pending changes.
        ///
        /// If so, the engine asks for a batch even if no change is pending. The program sets and
        /// clears this.
        public var hasPendingUntrackedChanges: Bool {
            get { data.withLock { $0.hasUntracked } }
            set {
                data.withLock { $0.hasUntracked = newValue }
                noteChange()
            }
        }

        /// The zones with changes that the engine has noticed, but not fetched yet.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
            data.withLock { $0.unfetched }
        }

        /// Adds changes of records; each replaces an earlier change of the same record.
        public func add(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            data.withLock { data in
                for change in changes { data.add(change) }
            }
            noteChange()
        }

        /// Removes changes of records; the engine does not send these changes any more.
        public func remove(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            data.withLock { data in
                for change in changes { data.remove(change) }
            }
            noteChange()
        }

        /// Adds changes of zones; each replaces an earlier change of the same zone.
        public func add(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            data.withLock { data in
                for change in changes { data.add(change) }
            }
            noteChange()
        }

        /// Removes changes of zones; the engine does not send these changes any more.
        public func remove(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            data.withLock { data in
                for change in changes { data.remove(change) }
            }
            noteChange()
        }

        private func noteChange() {
            let body = hook.withLock { $0 }
            body()
        }

        var hasPendingChanges: Bool {
            data.withLock { !$0.records.isEmpty || !$0.zones.isEmpty || $0.hasUntracked }
        }

        /// Applies `body` for the engine itself, without calling what ``whenChanged(_:)`` has set.
        func update<R: Sendable>(_ body: (inout SyncData) -> R) -> R { data.withLock { body(&$0) } }

        var user: String? { data.withLock { $0.user } }

        /// Forgets everything, and starts anew for another user, or for nobody.
        func begin(for user: String?) {
            data.withLock { data in
                data = SyncData()
                data.user = user
            }
        }

        /// The state in a form that programs can store.
        var serialization: Serialization { Serialization(data: data.withLock { $0 }) }

        /// A state in a form that programs can store, with any encoder.
        public struct Serialization: Codable, Sendable {
            let data: SyncData

            init(data: SyncData) { self.data = data }

            /// Reads a state.
            ///
            /// - Throws: `DecodingError` if the decoder does not hold a state.
            public init(from decoder: any Decoder) throws { data = try SyncData(from: decoder) }

            /// Writes the state.
            public func encode(to encoder: any Encoder) throws { try data.encode(to: encoder) }
        }
    }
}
