public import Foundation

/// Identifies a record by its name and its zone.
///
/// Known as ``CKRecord/ID``.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The record's name: 1 to 255 ASCII characters without blanks; only the names of user records
    /// begin with an underscore.
    public let recordName: String
    /// The record's zone.
    public let zoneID: CKRecordZoneID

    /// Identifies a record; by default with a unique name.
    public init(recordName: String = UUID().uuidString, zoneID: CKRecordZoneID = .default) {
        self.recordName = recordName
        self.zoneID = zoneID
    }

    /// Reads what ``encode(with:)`` wrote; `nil` if there is no valid data.
    public convenience init?(coder: NSCoder) {
        guard let name = coder.object(NSString.self, forKey: "recordName"),
            let zone = coder.object(CKRecordZoneID.self, forKey: "zoneID")
        else { return nil }
        self.init(recordName: name as String, zoneID: zone)
    }

    /// Writes the name and the zone into an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(recordName as NSString, forKey: "recordName")
        coder.encode(zoneID, forKey: "zoneID")
    }

    /// Whether archives support secure decoding: yes.
    public static var supportsSecureCoding: Bool { true }

    /// The same object, since it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both have the same name and zone.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordID else { return false }
        return recordName == other.recordName && zoneID == other.zoneID
    }

    /// A hash of the name and the zone.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(recordName)
        hasher.combine(zoneID)
        return hasher.finalize()
    }

    /// The name and the zone, for people.
    public override var description: String { "\(recordName) in \(zoneID)" }
}

extension RecordIdentifier {
    /// The record's identifier as a program sees it: without the zone's owner if that is `home`.
    func recordID(home: AccountIdentifier?) -> CKRecordID {
        CKRecordID(recordName: name, zoneID: zone.zoneID(home: home))
    }
}

extension CKRecordID {
    /// The core's identifier, without an owner if the owner's name is ``CKCurrentUserDefaultName``.
    ///
    /// - Throws: `zoneNotFound` if the owner's name cannot be that of a user record.
    func identifier() throws(RecordError) -> RecordIdentifier {
        RecordIdentifier(
            recordName, in: ZoneIdentifier(zoneID.zoneName, owner: try zoneID.owner()))
    }
}
