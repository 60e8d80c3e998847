public import Foundation

/// Names a record: by its name and its zone.
///
/// Known as ``CKRecord/ID``.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The record's name: 1 to 255 characters of ASCII without blanks, the first of which is no
    /// underscore.
    public let recordName: String
    /// The record's zone.
    public let zoneID: CKRecordZoneID

    /// Names a record; without a name, by one that nothing else has.
    public init(recordName: String = UUID().uuidString, zoneID: CKRecordZoneID = .default) {
        self.recordName = recordName
        self.zoneID = zoneID
    }

    /// Reads what ``encode(with:)`` has written; `nil` where that is not there.
    public convenience init?(coder: NSCoder) {
        guard let name = coder.object(NSString.self, forKey: "recordName"),
            let zone = coder.object(CKRecordZoneID.self, forKey: "zoneID")
        else { return nil }
        self.init(recordName: name as String, zoneID: zone)
    }

    /// Writes name and zone into an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(recordName as NSString, forKey: "recordName")
        coder.encode(zoneID, forKey: "zoneID")
    }

    /// Archives of it may be read securely.
    public static var supportsSecureCoding: Bool { true }

    /// The same object: nothing changes it.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both name the same record in the same words.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordID else { return false }
        return recordName == other.recordName && zoneID == other.zoneID
    }

    /// A hash of name and zone.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(recordName)
        hasher.combine(zoneID)
        return hasher.finalize()
    }

    /// Name and zone, for people.
    public override var description: String { "\(recordName) in \(zoneID)" }
}

extension RecordIdentifier {
    /// The record as who sees a database of `home` calls it.
    func recordID(home: AccountIdentifier?) -> CKRecordID {
        CKRecordID(recordName: name, zoneID: zone.zoneID(home: home))
    }
}

extension CKRecordID {
    /// The record; its zone has no owner where it is one of whoever owns the database.
    ///
    /// - Throws: `zoneNotFound` where nobody has the owner's name.
    func identifier() throws(RecordError) -> RecordIdentifier {
        RecordIdentifier(
            recordName, in: ZoneIdentifier(zoneID.zoneName, owner: try zoneID.owner()))
    }
}
