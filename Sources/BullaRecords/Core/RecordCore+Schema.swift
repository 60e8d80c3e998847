/// The schema: written and extended in development, and promoted to production.
extension RecordCore {
    /// The present schema.
    package func schema() throws(RecordError) -> RecordSchema {
        try schemas.reload().schema
    }

    /// The schema as this process last read it; others may have changed it since.
    package func knownSchema() throws(RecordError) -> RecordSchema {
        try schemas.current().schema
    }

    /// The schema as a text, which ``importSchema(_:mayRemove:over:)`` reads.
    package func exportSchema() throws(RecordError) -> [UInt8] {
        SchemaText.bytes(try schema())
    }

    /// Replaces the schema of the development environment with the one in a text, and updates the
    /// indexes of existing records.
    ///
    /// - Parameters:
    ///   - text: in CloudKit's schema language.
    ///   - mayRemove: whether to remove types and fields that the text lacks.
    ///   - production: the schema of the production environment, which the text must not
    ///     contradict.
    /// - Throws: `invalidArguments` for an invalid text, with the position of the error, and for a
    ///   change that is not allowed.
    package func importSchema(
        _ text: [UInt8], mayRemove: Bool = false, over production: RecordSchema? = nil
    ) throws(RecordError) {
        guard place.environment == .development else {
            throw RecordError(
                .invalidArguments, "import a schema: production gets it only by promotion")
        }
        let new: RecordSchema
        do throws(SchemaTextFault) { new = try SchemaText.read(text) } catch {
            throw error.recordError
        }
        try change { former throws(RecordError) in
            try SchemaRules.imported(
                new, over: former, production: production, mayRemove: mayRemove)
        }
        try reindex()
    }

    /// Extends production's schema by what only development's schema has.
    ///
    /// Call it on production's core. It also updates the indexes of existing records.
    ///
    /// - Returns: what was added.
    /// - Throws: `invalidArguments` if this is not production, or if development has removed or
    ///   changed something that production has.
    @discardableResult
    package func promote(from development: RecordSchema) throws(RecordError) -> [SchemaPart] {
        guard place.environment == .production else {
            throw RecordError(.invalidArguments, "promote a schema: the target is not production")
        }
        var added: [SchemaPart] = []
        try change { former throws(RecordError) in
            let promotion = try SchemaRules.promotion(from: development, to: former)
            added = promotion?.added ?? []
            return promotion?.schema
        }
        try reindex()
        return added
    }

    /// Applies `body` to the schema, and tries again if others change it meanwhile.
    ///
    /// - Parameter body: returns the new schema, or `nil` to keep the present one.
    private func change(
        _ body: (RecordSchema) throws(RecordError) -> RecordSchema?
    ) throws(RecordError) {
        for _ in 0...limits.retryCount {
            let known = try schemas.reload()
            guard let new = try body(known.schema) else { return }
            if try schemas.replace(known, with: new) != nil { return }
        }
        throw RecordError(.unavailable, "change the schema: others keep changing it", retryAfter: 1)
    }
}
