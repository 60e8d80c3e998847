package import BullaRecords

/// The answer of `records/changes`, and of `changes/zone` for each zone.
package struct ZoneChangesAnswer: Sendable {
    package let zone: ZoneIdentifier
    package var records: [RecordAnswer]
    package let syncToken: [UInt8]
    package let moreComing: Bool

    package init(
        _ zone: ZoneIdentifier, _ records: [RecordAnswer], syncToken: [UInt8], moreComing: Bool
    ) {
        self.zone = zone
        self.records = records
        self.syncToken = syncToken
        self.moreComing = moreComing
    }

    /// The answer of `records/changes`, which names no zone.
    package func bytes(_ form: AnswerForm) -> [UInt8] {
        answer(records.count * 1_024) { append(to: &$0, form) }
    }

    fileprivate func append(to writer: inout JSONWriter, _ form: AnswerForm) {
        writer.list("records", records) { $0.append(to: &$1, form) }
        writer.member("syncToken", token: syncToken)
        writer.member("moreComing", moreComing)
    }
}

/// The answer of `changes/zone`.
package struct ZonesChangesAnswer: Sendable {
    package enum Item: Sendable {
        /// A zone's changes, in the form that the request wants for this zone.
        case changes(ZoneChangesAnswer, AnswerForm)
        case failed(ZoneIdentifier, WebError)
    }

    package var zones: [Item]

    package init(_ zones: [Item]) { self.zones = zones }

    package func bytes() -> [UInt8] {
        answer { writer in
            writer.list("zones", zones) { item, writer in
                switch item {
                case .changes(let changes, let form):
                    writer.beginObject()
                    writer.key("zoneID")
                    writer.zone(changes.zone)
                    changes.append(to: &writer, form)
                    writer.endObject()
                case .failed(let zone, let error): error.appendItem(zone: zone, to: &writer)
                }
            }
        }
    }
}

/// The answer of `changes/database`.
package struct DatabaseChangesAnswer: Sendable {
    package struct Item: Hashable, Sendable {
        package enum DeletionReason: String, CaseIterable, Sendable {
            case deleted = "DELETED"
            case purged = "PURGED"
            case encryptedDataReset = "ENCRYPTED_DATA_RESET"
        }

        package let zone: ZoneIdentifier
        /// Why the zone no longer exists; `nil` for an existing zone.
        package let deletion: DeletionReason?

        package init(_ zone: ZoneIdentifier, deletion: DeletionReason? = nil) {
            self.zone = zone
            self.deletion = deletion
        }
    }

    package let zones: [Item]
    package let syncToken: [UInt8]
    package let moreComing: Bool

    package init(_ zones: [Item], syncToken: [UInt8], moreComing: Bool) {
        self.zones = zones
        self.syncToken = syncToken
        self.moreComing = moreComing
    }

    /// - Parameter deletionReasons: whether the request asked for the reasons of deletions. A
    ///   client that did not ask for them would reject an answer that has them.
    package func bytes(deletionReasons: Bool) -> [UInt8] {
        answer { writer in
            writer.list("zones", zones) { item, writer in
                writer.beginObject()
                writer.key("zoneID")
                writer.zone(item.zone)
                if let deletion = item.deletion {
                    writer.member("deleted", true)
                    if deletionReasons { writer.member("deletionReason", deletion.rawValue) }
                }
                writer.endObject()
            }
            writer.member("syncToken", token: syncToken)
            writer.member("moreComing", moreComing)
        }
    }
}
