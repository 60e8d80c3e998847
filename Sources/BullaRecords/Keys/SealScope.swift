/// The scope of a seal: one life of one zone, or one share of a record in it, in one epoch of the
/// keys.
///
/// It is the same for all callers: `database` is the owner's, whether a caller reaches the zone
/// through a private or a shared database. The scope contains the zone's incarnation, so that a
/// zone that was deleted and created again does not accept fields from its earlier life.
package struct SealScope: Hashable, Sendable {
    package let database: Database
    package let zone: RandomIdentifier
    /// The share whose key seals; `nil` for the zone's own key.
    package let share: RandomIdentifier?
    /// The epoch of the key; 0 in the public database, which has only one key.
    ///
    /// A share gets a new key only in some epochs of its zone, and only these are epochs of the
    /// share.
    package let epoch: UInt32

    package init(
        _ database: Database, zone: RandomIdentifier, share: RandomIdentifier? = nil, epoch: UInt32
    ) {
        (self.database, self.zone) = (database, zone)
        (self.share, self.epoch) = (share, epoch)
    }

    /// The scope of the same zone, or of a share in it, in another epoch.
    func with(share: RandomIdentifier?, epoch: UInt32) -> SealScope {
        SealScope(database, zone: zone, share: share, epoch: epoch)
    }

    /// The context to which everything sealed in this scope is bound.
    func tuple(_ label: String) -> ByteTuple {
        var tuple = ByteTuple(label, database.place)
        tuple.append(database.owner)
        tuple.append(zone)
        tuple.append(share?.bytes ?? [])
        tuple.append(epoch)
        return tuple
    }
}
