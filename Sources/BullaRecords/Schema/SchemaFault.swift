/// What is wrong with a schema, or with a change of one.
package struct SchemaFault: Hashable, Sendable {
    /// The role, type, field or grant, as messages call it.
    package let place: String
    package let reason: String

    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    /// How many faults a message tells; of the others it tells the count.
    private static let toldCountLimit = 20

    /// The error that refuses what has these faults; `nil` where there are none.
    package static func error(_ attempt: String, _ faults: [SchemaFault]) -> RecordError? {
        guard !faults.isEmpty else { return nil }
        var told = faults.prefix(toldCountLimit).map(\.description)
        if faults.count > told.count { told.append("and \(faults.count - told.count) more") }
        return RecordError(.invalidArguments, "\(attempt): " + told.joined(separator: "; "))
    }
}

extension SchemaFault: CustomStringConvertible {
    package var description: String { "\(place): \(reason)" }
}

extension SchemaFault: Comparable {
    package static func < (one: SchemaFault, other: SchemaFault) -> Bool {
        (one.place, one.reason) < (other.place, other.reason)
    }
}

extension String {
    /// A name that a stranger gave, as a message repeats it: short, and ASCII that is seen.
    package var told: String {
        let bytes = utf8.prefix(64).map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self) + (utf8.count > 64 ? "..." : "")
    }
}
