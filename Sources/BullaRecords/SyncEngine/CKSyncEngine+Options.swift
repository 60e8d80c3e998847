extension CKSyncEngine {
    /// Why the engine fetches or sends.
    public enum SyncReason: Hashable, Sendable {
        /// The engine syncs on its own.
        case scheduled
        /// The program has asked for it.
        case manual
    }

    /// What to fetch.
    public struct FetchChangesOptions: Sendable {
        /// A choice of zones.
        public enum Scope: Hashable, Sendable {
            /// All zones.
            case all
            /// All zones but these.
            case allExcluding([CKRecordZone.ID])
            /// These zones.
            case zoneIDs([CKRecordZone.ID])

            /// Whether the scope includes a zone.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zones): !zones.contains(zoneID)
                case .zoneIDs(let zones): zones.contains(zoneID)
                }
            }
        }

        /// The zones to fetch.
        public var scope: Scope
        /// Zones that are fetched before all others, in this order.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        /// Options for a choice of zones.
        public init(scope: Scope = .all) { self.scope = scope }
    }

    /// The circumstances of a fetch.
    public struct FetchChangesContext: Sendable {
        /// Why the engine fetches.
        public let reason: SyncReason
        /// What it fetches.
        public let options: FetchChangesOptions

        init(reason: SyncReason, options: FetchChangesOptions = FetchChangesOptions()) {
            (self.reason, self.options) = (reason, options)
        }
    }

    /// What to send.
    public struct SendChangesOptions: Sendable {
        /// A choice of changes.
        public enum Scope: Hashable, Sendable {
            /// All changes.
            case all
            /// All changes but those of these zones.
            case allExcluding([CKRecordZone.ID])
            /// The changes of these zones.
            case zoneIDs([CKRecordZone.ID])
            /// The changes of these records.
            case recordIDs([CKRecord.ID])

            /// Whether the scope includes a change of a record.
            public func contains(_ change: PendingRecordZoneChange) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zones): !zones.contains(change.recordID.zoneID)
                case .zoneIDs(let zones): zones.contains(change.recordID.zoneID)
                case .recordIDs(let records): records.contains(change.recordID)
                }
            }

            /// Whether the scope includes a change of a zone.
            public func contains(_ change: PendingDatabaseChange) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zones): !zones.contains(change.zoneID)
                case .zoneIDs(let zones): zones.contains(change.zoneID)
                // A record can be saved only in a zone that exists, so its zone is created as well.
                case .recordIDs(let records):
                    change.isSave && records.contains { $0.zoneID == change.zoneID }
                }
            }
        }

        /// The changes to send.
        public var scope: Scope

        /// Options for a choice of changes.
        public init(scope: Scope = .all) { self.scope = scope }
    }

    /// The circumstances in which changes are sent.
    public struct SendChangesContext: Sendable {
        /// Why the engine sends.
        public let reason: SyncReason
        /// What it sends.
        public let options: SendChangesOptions

        init(reason: SyncReason, options: SendChangesOptions = SendChangesOptions()) {
            (self.reason, self.options) = (reason, options)
        }
    }

    /// Records to save and to delete together.
    public struct RecordZoneChangeBatch: Sendable {
        /// The records to save.
        public var recordsToSave: [CKRecord]
        /// The records to delete.
        public var recordIDsToDelete: [CKRecord.ID]
        /// Whether the changes in each zone are made all together or not at all; if so, the batch
        /// can have at most 200 changes.
        public var atomicByZone: Bool

        /// The maximum number of changes that the engine sends at once.
        static let changeLimit = 200

        /// The batch with only the first change of each record.
        var withoutRepetitions: RecordZoneChangeBatch {
            var (batch, known) = (self, Set<CKRecord.ID>())
            batch.recordsToSave = recordsToSave.filter { known.insert($0.recordID).inserted }
            batch.recordIDsToDelete = recordIDsToDelete.filter { known.insert($0).inserted }
            return batch
        }

        /// The batch, divided into parts that are small enough to be sent; if it is atomic, it
        /// stays whole.
        var parts: [RecordZoneChangeBatch] {
            guard !atomicByZone, count > Self.changeLimit else { return [self] }
            let saves = stride(from: 0, to: recordsToSave.count, by: Self.changeLimit).map {
                RecordZoneChangeBatch(
                    recordsToSave: Array(recordsToSave.dropFirst($0).prefix(Self.changeLimit)))
            }
            let deletions = stride(from: 0, to: recordIDsToDelete.count, by: Self.changeLimit).map {
                RecordZoneChangeBatch(
                    recordIDsToDelete: Array(
                        recordIDsToDelete.dropFirst($0).prefix(Self.changeLimit)))
            }
            return saves + deletions
        }

        /// A batch of these records.
        public init(
            recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [],
            atomicByZone: Bool = false
        ) {
            (self.recordsToSave, self.recordIDsToDelete) = (recordsToSave, recordIDsToDelete)
            self.atomicByZone = atomicByZone
        }

        /// A batch of the first pending changes, up to 200; `nil` if it would be empty.
        ///
        /// - Parameters:
        ///   - pendingChanges: the changes to choose from, such as those in the engine's state that
        ///     the context's scope contains.
        ///   - recordProvider: returns the record to save; if it returns `nil`, the batch leaves
        ///     the record out.
        public init?(
            pendingChanges: [PendingRecordZoneChange],
            recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            for change in pendingChanges where count < Self.changeLimit {
                switch change {
                case .saveRecord(let id):
                    if let record = await recordProvider(id) { recordsToSave.append(record) }
                case .deleteRecord(let id): recordIDsToDelete.append(id)
                }
            }
            if count == 0 { return nil }
        }

        var count: Int { recordsToSave.count + recordIDsToDelete.count }

        var changes: [PendingRecordZoneChange] {
            recordsToSave.map { .saveRecord($0.recordID) }
                + recordIDsToDelete.map { .deleteRecord($0) }
        }
    }
}
