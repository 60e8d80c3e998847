/// A record type: its fields, and the privileges for its records.
package struct RecordType: Hashable, Sendable {
    /// All fields by name, including those of the system.
    package private(set) var fields: [String: SchemaField]
    /// The privileges of each role in the public database; a role without privileges has no entry.
    package private(set) var grants: [String: Privileges]

    /// A type that has no fields of its own, and that nobody can use in the public database.
    package init() {
        fields = SystemField.fields
        grants = [:]
    }

    /// The privileges that CloudKit grants for a type when a saved record adds the type to the
    /// schema.
    package static let automaticGrants: [SystemRole: Privileges] = [
        .creator: .write, .icloud: .create, .world: .read,
    ]

    package subscript(_ name: String) -> SchemaField? { fields[name] }

    /// Adds a field, or replaces the one with this name.
    package mutating func set(_ name: String, to field: SchemaField) { fields[name] = field }

    /// Removes a field; a system field only loses its indexes.
    package mutating func remove(_ name: String) { fields[name] = SystemField.fields[name] }

    package mutating func grant(_ privileges: Privileges, to role: String) {
        guard !privileges.isEmpty else { return }
        grants[role, default: []].formUnion(privileges)
    }

    package mutating func grant(_ privileges: Privileges, to role: SystemRole) {
        grant(privileges, to: role.name)
    }

    /// The privileges of a user who has all these roles.
    package func privileges(of roles: some Sequence<String>) -> Privileges {
        roles.reduce(into: []) { $0.formUnion(grants[$1] ?? []) }
    }
}
