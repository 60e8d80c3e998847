/// What records of a container's environment may be.
package struct RecordSchema: Hashable, Sendable {
    /// Rises with every change; each change says which version it was made to.
    package var version: UInt64
    /// The roles besides those of the system.
    package var roles: Set<String>
    /// All record types by name.
    package var types: [String: RecordType]

    package init(
        version: UInt64 = 0, roles: Set<String> = [], types: [String: RecordType] = [:]
    ) {
        self.version = version
        self.roles = roles
        self.types = types
    }

    /// The same types and roles under the version that comes after `former`.
    package func following(_ former: UInt64) -> RecordSchema {
        RecordSchema(version: former &+ 1, roles: roles, types: types)
    }

    /// Whether both say the same, whatever their versions.
    package func hasSameContent(as other: RecordSchema) -> Bool {
        roles == other.roles && types == other.types
    }
}
