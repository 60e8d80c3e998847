/// The scope of a seal: one life of one zone, in one epoch of its keys.
///
/// It contains the zone's owner and never the caller, since owner and participants see one zone in
/// different databases. It contains the zone's incarnation, so that a zone that was deleted and
/// created again does not accept fields from its former life.
package struct SealScope: Hashable, Sendable {
    package let database: Database
    package let zone: RandomIdentifier
    /// The epoch of the zone's keys; 0 in the public database, which has only one key.
    package let epoch: UInt32

    package init(_ database: Database, zone: RandomIdentifier, epoch: UInt32) {
        self.database = database
        self.zone = zone
        self.epoch = epoch
    }

    /// The context to which everything sealed here is bound.
    func tuple(_ label: String) -> ByteTuple {
        var tuple = ByteTuple(label, database.place)
        tuple.append(database.owner)
        tuple.append(zone)
        tuple.append(epoch)
        return tuple
    }
}
