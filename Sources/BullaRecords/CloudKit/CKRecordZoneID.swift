public import Foundation

/// Stands for whoever is signed in, where the name of a zone's owner is asked for.
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// Names a zone: by its name and its owner.
///
/// Known as ``CKRecordZone/ID``.
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name of the zone that every database has.
    public static let defaultZoneName = ZoneIdentifier.defaultName
    /// The default zone of whoever is signed in.
    public static let `default` = CKRecordZoneID()

    /// The zone's name: 1 to 255 characters of ASCII without blanks; none that a user makes begins
    /// with an underscore.
    public let zoneName: String
    /// The name of the user record of the zone's owner, or ``CKCurrentUserDefaultName``.
    public let ownerName: String

    /// Names a zone; whether there is one is not looked up.
    public init(
        zoneName: String = CKRecordZoneID.defaultZoneName,
        ownerName: String = CKCurrentUserDefaultName
    ) {
        self.zoneName = zoneName
        self.ownerName = ownerName
    }

    /// Reads what ``encode(with:)`` has written; `nil` where that is not there.
    public convenience init?(coder: NSCoder) {
        guard let zone = coder.object(NSString.self, forKey: "zoneName"),
            let owner = coder.object(NSString.self, forKey: "ownerName")
        else { return nil }
        self.init(zoneName: zone as String, ownerName: owner as String)
    }

    /// Writes both names into an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(zoneName as NSString, forKey: "zoneName")
        coder.encode(ownerName as NSString, forKey: "ownerName")
    }

    /// Archives of it may be read securely.
    public static var supportsSecureCoding: Bool { true }

    /// The same object: nothing changes it.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both name the same zone in the same words.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordZoneID else { return false }
        return zoneName == other.zoneName && ownerName == other.ownerName
    }

    /// A hash of both names.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(zoneName)
        hasher.combine(ownerName)
        return hasher.finalize()
    }

    /// Both names, for people.
    public override var description: String { "\(zoneName):\(ownerName)" }
}

extension ZoneIdentifier {
    /// The zone as who sees a database of `home` calls it.
    func zoneID(home: AccountIdentifier?) -> CKRecordZoneID {
        guard let owner, owner != home else { return CKRecordZoneID(zoneName: name) }
        return CKRecordZoneID(zoneName: name, ownerName: owner.userRecordName)
    }
}

extension CKRecordZoneID {
    /// The zone's owner as its name says; `nil` for whoever owns the database.
    ///
    /// - Throws: `zoneNotFound` where nobody has such a name.
    func owner() throws(RecordError) -> AccountIdentifier? {
        if ownerName == CKCurrentUserDefaultName { return nil }
        guard let owner = AccountIdentifier(userRecordName: ownerName) else {
            throw RecordError(.zoneNotFound, "use zone \(zoneName.told): nobody owns it")
        }
        return owner
    }
}
