public import Foundation

/// The name that stands for the signed-in user as the owner of a zone.
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// Identifies a zone by its name and its owner.
///
/// Known as ``CKRecordZone/ID``.
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name of the default zone of a public or private database.
    public static let defaultZoneName = ZoneIdentifier.defaultName
    /// The default zone of the signed-in user.
    public static let `default` = CKRecordZoneID()

    /// The zone's name: 1 to 255 ASCII characters without blanks; names of zones that users create
    /// do not begin with an underscore.
    public let zoneName: String
    /// The name of the owner's user record, or ``CKCurrentUserDefaultName``.
    public let ownerName: String

    /// Identifies a zone, which need not exist.
    public init(
        zoneName: String = CKRecordZoneID.defaultZoneName,
        ownerName: String = CKCurrentUserDefaultName
    ) {
        self.zoneName = zoneName
        self.ownerName = ownerName
    }

    /// Reads what ``encode(with:)`` wrote; `nil` if there is no valid data.
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

    /// Whether archives support secure decoding: yes.
    public static var supportsSecureCoding: Bool { true }

    /// The same object, since it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both have the same name and owner.
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
    /// The zone's identifier as a program sees it: without the owner if that is `home`.
    func zoneID(home: AccountIdentifier?) -> CKRecordZoneID {
        guard let owner, owner != home else { return CKRecordZoneID(zoneName: name) }
        return CKRecordZoneID(zoneName: name, ownerName: owner.userRecordName)
    }
}

extension CKRecordZoneID {
    /// The account that the owner's name denotes; `nil` for ``CKCurrentUserDefaultName``.
    ///
    /// - Throws: `zoneNotFound` if the owner's name cannot be that of a user record.
    func owner() throws(RecordError) -> AccountIdentifier? {
        if ownerName == CKCurrentUserDefaultName { return nil }
        guard let owner = AccountIdentifier(userRecordName: ownerName) else {
            throw RecordError(.zoneNotFound, "use zone \(zoneName.told): its owner has no account")
        }
        return owner
    }
}
