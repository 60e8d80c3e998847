/// The schema: the record types, their fields, and what each role may do with them.
///
/// In the development environment, the schema grows with the records that are saved. Production
/// gets it only by promotion. Methods that involve both environments need both to be open in this
/// process, from the same folder, because each environment is sealed under its own secrets.
extension CKContainer {
    /// The schema as a text in CloudKit's schema language, which ``importSchema(_:mayRemove:)``
    /// reads.
    ///
    /// - Throws: ``CKError``: `badContainer`; `internalError` if the stored schema is not
    ///   authentic.
    public func exportSchema() async throws -> String {
        try await run { open throws(RecordError) in
            String(decoding: try open.core.exportSchema(), as: UTF8.self)
        }
    }

    /// Replaces the schema of the development environment with the one in a text.
    ///
    /// - Parameters:
    ///   - text: the schema, in CloudKit's schema language.
    ///   - mayRemove: whether to remove types and fields that the text lacks. Records keep their
    ///     values, and production keeps its schema. If `mayRemove` is true and production has
    ///     a schema, production must be open, too.
    /// - Throws: ``CKError``: `invalidArguments` for an invalid text (the message names the
    ///   position of the error), for a change or a removal that is not allowed, and if this
    ///   environment is production; `badContainer`.
    public func importSchema(_ text: String, mayRemove: Bool = false) async throws {
        try await run { open throws(RecordError) in
            let production = try open.productionSchema(mayRemove: mayRemove)
            try open.core.importSchema(
                Array(text.utf8), mayRemove: mayRemove, over: production)
        }
    }

    /// Adds to the production schema everything that only the development schema has.
    ///
    /// - Returns: human-readable descriptions of what was added.
    /// - Throws: ``CKError``: `invalidArguments` if development has removed or changed something
    ///   that is in production, or if one of the environments is not open here; `badContainer`.
    @discardableResult
    public func promoteSchema() async throws -> [String] {
        try await run { open throws(RecordError) in
            let (development, production) = (
                open.environment(.development), open.environment(.production)
            )
            guard let development, let production else {
                throw RecordError(
                    .invalidArguments,
                    "promote a schema: open both environments of the container, in one folder")
            }
            let added = try production.core.promote(from: development.core.schema())
            return added.map { String(describing: $0) }
        }
    }
}

extension OpenContainer {
    /// An environment of this container, if this process has it open in the same folder.
    fileprivate func environment(_ environment: Environment) -> OpenContainer? {
        if place.environment == environment { return self }
        let other = OpenContainers.first { [place, folder] other in
            other.place == Place(place.container, environment)
                && (other as? OpenContainer)?.folder == folder
        }
        return other as? OpenContainer
    }

    /// The production schema, which an import must not contradict; `nil` if there is none, or if
    /// the import cannot contradict it.
    ///
    /// - Throws: `invalidArguments` if the import may remove parts, and production has a schema but
    ///   is not open.
    fileprivate func productionSchema(
        mayRemove: Bool
    ) throws(RecordError) -> RecordSchema? {
        if let production = environment(.production), production !== self {
            return try production.core.schema()
        }
        // An import that removes nothing keeps everything that production got from this schema, so
        // it cannot contradict production.
        guard mayRemove, place.environment == .development else { return nil }
        let place = Place(place.container, .production)
        guard try core.backend.document(PlaceDocument.schema, of: place) == nil else {
            throw RecordError(
                .invalidArguments,
                "import a schema: to remove something, the production environment has to be open")
        }
        return nil
    }
}
