/// A record type: its fields, and who may do what with its records.
package struct RecordType: Hashable, Sendable {
    /// All fields by name, those of the system among them.
    package private(set) var fields: [String: SchemaField]
    /// What each role may do, in the public database; a role that may nothing is not in it.
    package private(set) var grants: [String: Privileges]

    /// A type without fields of its own, that nobody may use in the public database.
    package init() {
        fields = SystemField.fields
        grants = [:]
    }

    /// What CloudKit grants on a type that a saved record brings into the schema.
    package static let automaticGrants: [SystemRole: Privileges] = [
        .creator: .write, .icloud: .create, .world: .read,
    ]

    package subscript(_ name: String) -> SchemaField? { fields[name] }

    /// Adds a field, or replaces the one of this name.
    package mutating func set(_ name: String, to field: SchemaField) { fields[name] = field }

    /// Removes a field; one of the system only loses its indexes.
    package mutating func remove(_ name: String) { fields[name] = SystemField.fields[name] }

    package mutating func grant(_ privileges: Privileges, to role: String) {
        guard !privileges.isEmpty else { return }
        grants[role, default: []].formUnion(privileges)
    }

    package mutating func grant(_ privileges: Privileges, to role: SystemRole) {
        grant(privileges, to: role.name)
    }

    /// What somebody may do who has all these roles.
    package func privileges(of roles: some Sequence<String>) -> Privileges {
        roles.reduce(into: []) { $0.formUnion(grants[$1] ?? []) }
    }
}
