/// The rules for changing a schema: it grows in development, and promotion copies it to production.
package enum SchemaRules {
    /// The schema of development after an import; `nil` if nothing changes.
    ///
    /// - Parameters:
    ///   - new: the imported schema.
    ///   - development: the present schema.
    ///   - production: the schema of production; `nil` if it is empty. Even with `mayRemove`, none
    ///     of its types and fields may be removed, and no field may change its shape.
    ///   - mayRemove: whether the import may remove types and fields that `new` lacks; if not, each
    ///     such removal is an error.
    /// - Throws: ``RecordError/Code/invalidArguments`` with the errors in `new`, and the changes
    ///   and removals that are not allowed.
    package static func imported(
        _ new: RecordSchema, over development: RecordSchema, production: RecordSchema?,
        mayRemove: Bool
    ) throws(RecordError) -> RecordSchema? {
        let difference = SchemaDifference(from: development, to: new)
        var faults = new.faults() + difference.changeFaults
        if !mayRemove { faults += lossFaults(difference, "would be removed") }
        if let production {
            let lost = SchemaDifference(from: production, to: new)
            faults += lost.changeFaults + lossFaults(lost, "is in production, and would be removed")
        }
        if let error = SchemaFault.error("import the schema", unique(faults)) { throw error }
        return difference.isEmpty ? nil : new.following(development.version)
    }

    /// The schema of production after a promotion, and the additions; `nil` if there are none.
    ///
    /// - Throws: ``RecordError/Code/invalidArguments`` with the errors in the schema of
    ///   development, the fields that have another shape in production, and everything that
    ///   production has and development no longer has.
    package static func promotion(
        from development: RecordSchema, to production: RecordSchema
    ) throws(RecordError) -> SchemaPromotion? {
        let difference = SchemaDifference(from: production, to: development)
        let removals = difference.removed.map {
            SchemaFault($0.description, "is in production, and not in development")
        }
        let faults = development.faults() + difference.changeFaults + removals
        if let error = SchemaFault.error("promote the schema", faults) { throw error }
        guard !difference.isEmpty else { return nil }
        return SchemaPromotion(
            schema: development.following(production.version), added: difference.added)
    }

    private static func lossFaults(
        _ difference: SchemaDifference, _ reason: String
    ) -> [SchemaFault] {
        difference.removed.filter(\.holdsData).map { SchemaFault($0.place, reason) }
    }

    private static func unique(_ faults: [SchemaFault]) -> [SchemaFault] {
        Set(faults).sorted()
    }
}

/// The result of a promotion.
package struct SchemaPromotion: Hashable, Sendable {
    /// The new schema of production, with the version that follows its former one.
    package let schema: RecordSchema
    /// The additions.
    package let added: [SchemaPart]
}
