/// Where a record stands: what all that is sealed of it is bound to.
struct RecordSite: Hashable, Sendable {
    let scope: SealScope
    let type: String
    let name: String
    let incarnation: RandomIdentifier

    init(_ scope: SealScope, _ type: String, _ name: String, _ incarnation: RandomIdentifier) {
        (self.scope, self.type, self.name, self.incarnation) = (scope, type, name, incarnation)
    }

    /// What the record key is wrapped for.
    var keyContext: [UInt8] { tuple("bulla records record key v1").bytes }
    /// What the plain values are sealed for.
    var plainContext: [UInt8] { tuple("bulla records plain values v1").bytes }
    /// What the record as a whole is sealed for.
    var sealContext: [UInt8] { tuple("bulla records record v1").bytes }
    /// The beginning of what each encrypted field is sealed for; name and kind follow.
    var fieldContext: [UInt8] { tuple("bulla records field v1").bytes }

    private func tuple(_ label: String) -> ByteTuple {
        var tuple = scope.tuple(label)
        tuple.append(type)
        tuple.append(name)
        tuple.append(incarnation)
        return tuple
    }

    /// The end of what an encrypted field is sealed for.
    static func fieldContext(_ name: String, _ kind: FieldKind) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count + 5)
        bytes.append(text: name)
        bytes.append(kind.tag)
        return bytes
    }
}
