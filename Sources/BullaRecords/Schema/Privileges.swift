/// A role's privileges for the records of a type in the public database.
package struct Privileges: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let read = Privileges(rawValue: 1)
    package static let create = Privileges(rawValue: 2)
    /// Changing and deleting.
    package static let write = Privileges(rawValue: 4)

    /// The privileges with their names, in the order of a schema text.
    package static let names: [(privilege: Privileges, name: String)] = [
        (.read, "READ"), (.create, "CREATE"), (.write, "WRITE"),
    ]

    /// These privileges one by one, in the order of a schema text.
    package var each: [Privileges] { Self.names.map(\.privilege).filter(contains) }
}

/// The form in a schema text: names separated by commas.
extension Privileges: CustomStringConvertible {
    package var description: String {
        Self.names.filter { contains($0.privilege) }.map(\.name).joined(separator: ", ")
    }
}

/// The system's roles, which need not be created.
package enum SystemRole: String, CaseIterable, Sendable {
    /// Everyone, signed in or not.
    case world = "_world"
    /// Every signed-in user.
    case icloud = "_icloud"
    /// The creator of the record.
    case creator = "_creator"

    package var name: String { rawValue }
}
