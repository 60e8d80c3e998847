package import BullaRecords

/// Promotes a container's schema from the development environment to the production environment.
extension ServiceStores {
    /// The cores of a container's environments; `nil` if there is no such container.
    package func cores(
        of container: String
    ) throws(RecordError) -> (development: RecordCore, production: RecordCore)? {
        guard let development = try core(of: Place(container, .development)),
            let production = try core(of: Place(container, .production))
        else { return nil }
        return (development, production)
    }

    /// Adds to a container's production schema whatever only its development schema has.
    ///
    /// - Parameter seen: the version of the development schema that the caller has seen; `nil` to
    ///   promote the present version.
    /// - Returns: what was added.
    /// - Throws: `unknownItem` if there is no such container; `recordChanged` if the version of the
    ///   development schema is not `seen`; the errors of ``RecordCore/promote(from:)``.
    package func promoteSchema(
        of container: String, seen: UInt64? = nil
    ) throws(RecordError) -> [SchemaPart] {
        guard let (development, production) = try cores(of: container) else {
            throw RecordError(
                .unknownItem,
                "promote the schema: there is no container \(container): "
                    + "bulla-records container add makes one")
        }
        let schema = try development.schema()
        guard seen == nil || seen == schema.version else {
            throw RecordError(
                .recordChanged, "promote the schema: it has changed since it was shown")
        }
        return try production.promote(from: schema)
    }
}
