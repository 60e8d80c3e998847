/// The place of a record; everything that is sealed in the record is bound to this place.
struct RecordSite: Hashable, Sendable {
    let scope: SealScope
    let type: String
    let name: String
    let incarnation: RandomIdentifier

    init(_ scope: SealScope, _ type: String, _ name: String, _ incarnation: RandomIdentifier) {
        (self.scope, self.type, self.name, self.incarnation) = (scope, type, name, incarnation)
    }

    /// The context of the wrapped record key.
    var keyContext: [UInt8] { tuple("bulla records record key v1").bytes }
    /// The context of the sealed plain values.
    var plainContext: [UInt8] { tuple("bulla records plain values v1").bytes }
    /// The context of the seal of the whole record.
    var sealContext: [UInt8] { tuple("bulla records record v1").bytes }
    /// The beginning of each encrypted field's context; name and kind follow.
    var fieldContext: [UInt8] { tuple("bulla records field v1").bytes }

    private func tuple(_ label: String) -> ByteTuple {
        var tuple = scope.tuple(label)
        tuple.append(type)
        tuple.append(name)
        tuple.append(incarnation)
        return tuple
    }

    /// The end of an encrypted field's context.
    static func fieldContext(_ name: String, _ kind: FieldKind) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count + 5)
        bytes.append(text: name)
        bytes.append(kind.tag)
        return bytes
    }
}
