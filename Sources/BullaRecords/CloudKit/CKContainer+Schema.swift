/// The schema: which types there are, with which fields, and who may do what with them.
///
/// In the development environment it grows with what is saved. Production gets it by promotion
/// alone. What is done here to the one with regard to the other asks for both to be open in this
/// process, in the same folder: each is sealed under secrets of its own.
extension CKContainer {
    /// The schema as text in CloudKit's schema language, which ``importSchema(_:mayRemove:)``
    /// reads.
    ///
    /// - Throws: ``CKError``: `badContainer`; `internalError` where nobody has written it who may.
    public func exportSchema() async throws -> String {
        try await run { open throws(RecordError) in
            String(decoding: try open.core.exportSchema(), as: UTF8.self)
        }
    }

    /// Replaces the schema of the development environment by what a text says.
    ///
    /// - Parameters:
    ///   - text: in CloudKit's schema language.
    ///   - mayRemove: whether types and fields that the text lacks go: records keep what they have,
    ///     and production keeps what it has. Where there is production, it has to be open too.
    /// - Throws: ``CKError``: `invalidArguments` with the place in the text, with what may not
    ///   change or go, and in production; `badContainer`.
    public func importSchema(_ text: String, mayRemove: Bool = false) async throws {
        try await run { open throws(RecordError) in
            let production = try open.productionSchema(mayRemove: mayRemove)
            try open.core.importSchema(
                Array(text.utf8), mayRemove: mayRemove, over: production)
        }
    }

    /// Gives production what the development environment's schema has more.
    ///
    /// - Returns: what was added, for people.
    /// - Throws: ``CKError``: `invalidArguments` where development has removed or changed something
    ///   that is in production, and where one of the two is not open here; `badContainer`.
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
    /// This container's environment, where this process has it open in the same folder.
    fileprivate func environment(_ environment: Environment) -> OpenContainer? {
        if place.environment == environment { return self }
        return OpenContainers.first { [place, folder] other in
            other.place == Place(place.container, environment) && other.folder == folder
        }
    }

    /// The schema of production, which an import must leave possible; `nil` where there is none.
    ///
    /// - Throws: `invalidArguments` where something may go, and it cannot be told what must not.
    fileprivate func productionSchema(
        mayRemove: Bool
    ) throws(RecordError) -> RecordSchema? {
        if let production = environment(.production), production !== self {
            return try production.core.schema()
        }
        // What only adds leaves all that production ever got from here.
        guard mayRemove, place.environment == .development else { return nil }
        let place = Place(place.container, .production)
        guard try core.backend.document(PlaceDocument.schema, of: place) == nil else {
            throw RecordError(
                .invalidArguments,
                "import a schema: there is production, which has to be open for something to go")
        }
        return nil
    }
}
