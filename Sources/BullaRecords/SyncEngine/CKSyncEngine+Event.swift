extension CKSyncEngine {
    /// Something that the engine reports to its delegate.
    public enum Event: Sendable {
        /// The state has changed: store it.
        case stateUpdate(StateUpdate)
        /// A user has signed in, or the user has signed out.
        ///
        /// The engine has forgotten its state, including the pending changes.
        case accountChange(AccountChange)
        /// Zones were changed or deleted, by this program or by others.
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        /// Records were changed or deleted, by this engine or by others.
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        /// Pending changes of zones were sent.
        case sentDatabaseChanges(SentDatabaseChanges)
        /// A batch of records was sent.
        case sentRecordZoneChanges(SentRecordZoneChanges)
        /// A fetch begins.
        case willFetchChanges(WillFetchChanges)
        /// The fetch of one zone begins.
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        /// The fetch of one zone has ended.
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        /// A fetch has ended.
        case didFetchChanges(DidFetchChanges)
        /// The engine begins to send.
        case willSendChanges(WillSendChanges)
        /// The engine has sent what it could.
        case didSendChanges(DidSendChanges)
    }
}

extension CKSyncEngine.Event {
    /// The state to store.
    public struct StateUpdate: Sendable {
        /// The state, for ``CKSyncEngine/Configuration/stateSerialization``.
        public let stateSerialization: CKSyncEngine.State.Serialization
    }

    /// Who is signed in now.
    public struct AccountChange: Sendable {
        /// A kind of change.
        public enum ChangeType: Hashable, Sendable {
            /// A user has signed in, and nobody was signed in before.
            case signIn(currentUser: CKRecord.ID)
            /// The user has signed out.
            case signOut(previousUser: CKRecord.ID)
            /// Another user has signed in.
            case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
        }

        /// What has changed.
        public let changeType: ChangeType

        /// A change from one user to another; `nil` stands for nobody, and the two must differ.
        init(from former: String?, to user: String?) {
            let (former, user) = (
                former.map { CKRecord.ID(recordName: $0) }, user.map { CKRecord.ID(recordName: $0) }
            )
            changeType =
                switch (former, user) {
                case (let former?, let user?):
                    .switchAccounts(previousUser: former, currentUser: user)
                case (let former?, nil): .signOut(previousUser: former)
                case (nil, let user?): .signIn(currentUser: user)
                case (nil, nil): preconditionFailure("the user has changed")
                }
        }
    }

    /// Zones that were changed or deleted, by this program or by others.
    public struct FetchedDatabaseChanges: Sendable {
        /// The zones that were created, or whose records have changed.
        public let modifications: [CKDatabase.DatabaseChange.Modification]
        /// The zones that no longer exist, or can no longer be used.
        public let deletions: [CKDatabase.DatabaseChange.Deletion]
    }

    /// Records that were changed or deleted, by this program or by others.
    public struct FetchedRecordZoneChanges: Sendable {
        /// The records that were created or changed, as they are now.
        public let modifications: [CKDatabase.RecordZoneChange.Modification]
        /// The records that were deleted.
        public let deletions: [CKDatabase.RecordZoneChange.Deletion]
    }

    /// The outcome of pending changes of zones.
    public struct SentDatabaseChanges: Sendable {
        /// A zone that was not saved.
        public struct FailedZoneSave: Sendable {
            /// The zone.
            public let zone: CKRecordZone
            /// Why it was not saved.
            public let error: CKError
        }

        /// The zones that were saved.
        public internal(set) var savedZones: [CKRecordZone] = []
        /// The zones that were not saved.
        public internal(set) var failedZoneSaves: [FailedZoneSave] = []
        /// The zones that were deleted.
        public internal(set) var deletedZoneIDs: [CKRecordZone.ID] = []
        /// The zones that were not deleted.
        public internal(set) var failedZoneDeletes: [CKRecordZone.ID: CKError] = [:]
    }

    /// The outcome of a batch of records.
    public struct SentRecordZoneChanges: Sendable {
        /// A record that was not saved.
        public struct FailedRecordSave: Sendable {
            /// The record.
            public let record: CKRecord
            /// Why it was not saved; if others have changed the record, the error contains the
            /// record as it is stored.
            public let error: CKError
        }

        /// The records that were saved, as they are now.
        public internal(set) var savedRecords: [CKRecord] = []
        /// The records that were not saved.
        public internal(set) var failedRecordSaves: [FailedRecordSave] = []
        /// The records that were deleted.
        public internal(set) var deletedRecordIDs: [CKRecord.ID] = []
        /// The records that were not deleted.
        public internal(set) var failedRecordDeletes: [CKRecord.ID: CKError] = [:]
    }

    /// A fetch that begins.
    public struct WillFetchChanges: Sendable {
        /// What the engine fetches, and why.
        public let context: CKSyncEngine.FetchChangesContext
    }

    /// The beginning of the fetch of a zone.
    public struct WillFetchRecordZoneChanges: Sendable {
        /// The zone.
        public let zoneID: CKRecordZone.ID
    }

    /// The end of the fetch of a zone.
    public struct DidFetchRecordZoneChanges: Sendable {
        /// The zone.
        public let zoneID: CKRecordZone.ID
        /// Why not everything was fetched; `nil` if everything was.
        ///
        /// `partialFailure` names records that could not be opened; they are fetched again only
        /// after their next change.
        public let error: CKError?
    }

    /// A fetch that has ended.
    public struct DidFetchChanges: Sendable {
        /// What the engine has fetched, and why.
        public let context: CKSyncEngine.FetchChangesContext
    }

    /// The engine begins to send.
    public struct WillSendChanges: Sendable {
        /// What the engine sends, and why.
        public let context: CKSyncEngine.SendChangesContext
    }

    /// The engine has finished sending.
    public struct DidSendChanges: Sendable {
        /// What the engine has sent, and why.
        public let context: CKSyncEngine.SendChangesContext
    }
}

extension CKSyncEngine.Event: CustomStringConvertible {
    /// A description for people to read: the kind of event, and how many items it has.
    public var description: String {
        switch self {
        case .stateUpdate: "state update"
        case .accountChange(let change): "account change: \(change.changeType)"
        case .fetchedDatabaseChanges(let changes):
            "fetched zones: \(changes.modifications.count) changed, "
                + "\(changes.deletions.count) gone"
        case .fetchedRecordZoneChanges(let changes):
            "fetched records: \(changes.modifications.count) changed, "
                + "\(changes.deletions.count) deleted"
        case .sentDatabaseChanges(let changes):
            "sent zones: \(changes.savedZones.count) saved, \(changes.deletedZoneIDs.count) "
                + "deleted, \(changes.failedZoneSaves.count + changes.failedZoneDeletes.count) "
                + "failed"
        case .sentRecordZoneChanges(let changes):
            "sent records: \(changes.savedRecords.count) saved, "
                + "\(changes.deletedRecordIDs.count) deleted, "
                + "\(changes.failedRecordSaves.count + changes.failedRecordDeletes.count) failed"
        case .willFetchChanges: "will fetch changes"
        case .willFetchRecordZoneChanges(let fetch): "will fetch \(fetch.zoneID)"
        case .didFetchRecordZoneChanges(let fetch): "did fetch \(fetch.zoneID)"
        case .didFetchChanges: "did fetch changes"
        case .willSendChanges: "will send changes"
        case .didSendChanges: "did send changes"
        }
    }
}
