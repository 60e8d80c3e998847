/// An error in a schema, or in a change of one.
package struct SchemaFault: Hashable, Sendable {
    /// What messages call the role, type, field or grant.
    package let place: String
    package let reason: String

    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    /// A message lists at most this many errors, and gives only the number of the others.
    private static let toldCountLimit = 20

    /// The error for a schema with these errors; `nil` if there are none.
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
    /// A name from an untrusted source, shortened and reduced to visible ASCII for messages.
    package var told: String {
        let bytes = utf8.prefix(64).map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self) + (utf8.count > 64 ? "..." : "")
    }
}
