/// A zone: records that may be changed together, followed, and deleted as a whole.
///
/// Every database has the default zone, which has none of this. Only a private database has
/// others.
public final class CKRecordZone: Sendable {
    /// Names a zone.
    public typealias ID = CKRecordZoneID

    /// What a zone can do.
    public struct Capabilities: OptionSet, Sendable {
        /// The bits, as CloudKit has them.
        public let rawValue: UInt

        /// A set of capabilities by its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// What has changed in it can be asked for.
        public static let fetchChanges = Capabilities(rawValue: 1)
        /// Several of its records can be changed all at once, or not at all.
        public static let atomic = Capabilities(rawValue: 2)
        /// Single records of it can be shared.
        public static let sharing = Capabilities(rawValue: 4)
        /// It can be shared as a whole.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }

    /// The zone's name and owner.
    public let zoneID: ID
    /// What the zone can do; nothing before it was saved or read.
    public let capabilities: Capabilities

    /// A zone to be saved, under a name, of whoever is signed in.
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }

    /// A zone to be saved.
    public convenience init(zoneID: ID) { self.init(zoneID, []) }

    init(_ zoneID: ID, _ capabilities: Capabilities) {
        (self.zoneID, self.capabilities) = (zoneID, capabilities)
    }

    /// The zone that every database has.
    public static func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    /// A zone that is there.
    convenience init(found zoneID: ID) {
        self.init(
            zoneID,
            zoneID.zoneName == ID.defaultZoneName
                ? [] : [.fetchChanges, .atomic, .zoneWideSharing])
    }
}

extension CKRecordZone: CustomStringConvertible {
    /// The zone's names, for people.
    public var description: String { "zone \(zoneID)" }
}
