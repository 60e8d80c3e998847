/// A zone: records that can be changed together, followed, and deleted as a whole.
///
/// Public and private databases have a default zone, which supports none of this. Users create
/// other zones in their private databases.
public final class CKRecordZone: Sendable {
    /// Identifies a zone.
    public typealias ID = CKRecordZoneID

    /// The capabilities of a zone.
    public struct Capabilities: OptionSet, Sendable {
        /// The bits, with CloudKit's values.
        public let rawValue: UInt

        /// Capabilities given by their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The zone's changes can be fetched.
        public static let fetchChanges = Capabilities(rawValue: 1)
        /// Several records in the zone can be changed atomically.
        public static let atomic = Capabilities(rawValue: 2)
        /// Single records in the zone can be shared.
        public static let sharing = Capabilities(rawValue: 4)
        /// The zone can be shared as a whole.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }

    /// The zone's name and owner.
    public let zoneID: ID
    /// The zone's capabilities; empty until the zone has been saved or read.
    public let capabilities: Capabilities

    /// A zone with a name, to be saved for the signed-in user.
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }

    /// A zone to be saved.
    public convenience init(zoneID: ID) { self.init(zoneID, []) }

    init(_ zoneID: ID, _ capabilities: Capabilities) {
        (self.zoneID, self.capabilities) = (zoneID, capabilities)
    }

    /// The default zone of a public or private database.
    public static func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    /// A zone that exists.
    convenience init(found zoneID: ID) {
        self.init(
            zoneID,
            zoneID.zoneName == ID.defaultZoneName
                ? [] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing])
    }
}

extension CKRecordZone: CustomStringConvertible {
    /// The zone's name and owner, for people.
    public var description: String { "zone \(zoneID)" }
}
