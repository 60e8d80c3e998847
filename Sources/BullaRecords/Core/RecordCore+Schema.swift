/// The schema's life: it is written and grows in development, and is promoted to production.
extension RecordCore {
    /// The schema as it is now.
    package func schema() throws(RecordError) -> RecordSchema {
        try schemas.reload().schema
    }

    /// The schema as this process read it last, which others may have changed since.
    package func knownSchema() throws(RecordError) -> RecordSchema {
        try schemas.current().schema
    }

    /// The schema as text, which ``importSchema(_:mayRemove:over:)`` reads.
    package func exportSchema() throws(RecordError) -> [UInt8] {
        SchemaText.bytes(try schema())
    }

    /// Replaces the schema of the development environment by what a text says, and indexes the
    /// records that are there by it.
    ///
    /// - Parameters:
    ///   - text: in CloudKit's schema language.
    ///   - mayRemove: whether types and fields that the text lacks go.
    ///   - production: the schema of the production environment, which must stay possible.
    /// - Throws: `invalidArguments` with the place in the text, or with what may not change.
    package func importSchema(
        _ text: [UInt8], mayRemove: Bool = false, over production: RecordSchema? = nil
    ) throws(RecordError) {
        guard place.environment == .development else {
            throw RecordError(
                .invalidArguments, "import a schema: production gets it by promotion alone")
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

    /// Adds to this, the production environment's schema, what development has, and indexes the
    /// records that are there by it.
    ///
    /// - Returns: what was added.
    /// - Throws: `invalidArguments` where development has removed or changed something.
    @discardableResult
    package func promote(from development: RecordSchema) throws(RecordError) -> [SchemaPart] {
        guard place.environment == .production else {
            throw RecordError(.invalidArguments, "promote a schema: it is promoted to production")
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

    /// Makes the schema what `body` makes of it, whoever changes it meanwhile; `nil` leaves it.
    private func change(
        _ body: (RecordSchema) throws(RecordError) -> RecordSchema?
    ) throws(RecordError) {
        for _ in 0...limits.retryCount {
            let known = try schemas.reload()
            guard let new = try body(known.schema) else { return }
            if try schemas.replace(known, with: new) != nil { return }
        }
        throw RecordError(.unavailable, "change the schema: others do all the time", retryAfter: 1)
    }
}
