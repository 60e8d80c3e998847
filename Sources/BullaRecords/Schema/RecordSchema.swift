/// The schema of a container's environment.
package struct RecordSchema: Hashable, Sendable {
    /// Increases with every change; each batch names the version against which it was checked.
    package var version: UInt64
    /// The roles, without those of the system.
    package var roles: Set<String>
    /// All record types, by name.
    package var types: [String: RecordType]

    package init(
        version: UInt64 = 0, roles: Set<String> = [], types: [String: RecordType] = [:]
    ) {
        self.version = version
        self.roles = roles
        self.types = types
    }

    /// The same schema with the version that follows `former`.
    package func following(_ former: UInt64) -> RecordSchema {
        RecordSchema(version: former &+ 1, roles: roles, types: types)
    }

    /// Whether both have the same content, regardless of their versions.
    package func hasSameContent(as other: RecordSchema) -> Bool {
        roles == other.roles && types == other.types
    }
}
