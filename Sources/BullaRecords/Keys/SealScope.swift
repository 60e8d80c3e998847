/// Where in a service something is sealed: one life of one zone, in one epoch of its keys.
///
/// It names the owner and never the caller, since owner and participants see one zone by different
/// scopes; and the zone's incarnation beside its name, so that a zone that was deleted and made
/// again does not accept the fields of the former one.
package struct SealScope: Hashable, Sendable {
    package let database: Database
    package let zone: RandomIdentifier
    /// Which of the zone's keys; 0 in the public database, which has one.
    package let epoch: UInt32

    package init(_ database: Database, zone: RandomIdentifier, epoch: UInt32) {
        self.database = database
        self.zone = zone
        self.epoch = epoch
    }

    /// What everything that is sealed here is bound to.
    func tuple(_ label: String) -> ByteTuple {
        var tuple = ByteTuple(label, database.place)
        tuple.append(database.owner)
        tuple.append(zone)
        tuple.append(epoch)
        return tuple
    }
}
