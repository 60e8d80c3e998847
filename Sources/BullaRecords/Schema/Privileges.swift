/// What a role may do with the records of a type in the public database.
package struct Privileges: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let read = Privileges(rawValue: 1)
    package static let create = Privileges(rawValue: 2)
    /// To change and to delete.
    package static let write = Privileges(rawValue: 4)

    /// Each one with its name in a schema text, in the order in which a text lists them.
    package static let names: [(privilege: Privileges, name: String)] = [
        (.read, "READ"), (.create, "CREATE"), (.write, "WRITE"),
    ]

    /// One by one, in the order in which a text lists them.
    package var each: [Privileges] { Self.names.map(\.privilege).filter(contains) }
}

/// As a schema text lists them, with a comma between two.
extension Privileges: CustomStringConvertible {
    package var description: String {
        Self.names.filter { contains($0.privilege) }.map(\.name).joined(separator: ", ")
    }
}

/// The roles that nobody has to create.
package enum SystemRole: String, CaseIterable, Sendable {
    /// Everybody, signed in or not.
    case world = "_world"
    /// Everybody who is signed in.
    case icloud = "_icloud"
    /// Who created the record.
    case creator = "_creator"

    package var name: String { rawValue }
}
