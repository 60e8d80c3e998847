/// How a schema may change: it grows in development, and production takes over what grew.
package enum SchemaRules {
    /// What an import makes of the schema of development; `nil` where that says the same already.
    ///
    /// - Parameters:
    ///   - new: what the import says.
    ///   - development: what is there.
    ///   - production: what must not be lost, whatever the caller says; `nil` where it is empty.
    ///   - mayRemove: whether types and fields that `new` does not have are removed.
    /// - Throws: ``RecordError/Code/invalidArguments`` with what is wrong with `new`, or with what
    ///   it would change or remove.
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

    /// What production becomes, and what that adds; `nil` where it has all already.
    ///
    /// - Throws: ``RecordError/Code/invalidArguments`` with what is wrong with the schema of
    ///   development, or with all that is not in it any more and in production still.
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

/// What production takes over from development.
package struct SchemaPromotion: Hashable, Sendable {
    /// The schema that production gets, under the version that follows its own.
    package let schema: RecordSchema
    /// What is in it and was not before.
    package let added: [SchemaPart]
}
