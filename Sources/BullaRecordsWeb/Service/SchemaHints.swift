import BullaRecords
internal import Synchronization

/// Looks up the shapes of one request's fields in the schema.
///
/// Another process may have added a field. So when the known schema lacks a field, the schema is
/// read again, at most once per request.
final class SchemaHints: Sendable {
    private struct State {
        var schema: RecordSchema?
        var isFresh = false
    }

    private let core: RecordCore
    private let state = Mutex(State())

    init(_ core: RecordCore) { self.core = core }

    /// The shape of a field; `nil` if there is no such field, or if the schema cannot be read.
    ///
    /// If the schema cannot be read, the core refuses the request later.
    func shape(_ type: String, _ field: String) -> FieldShape? {
        state.withLock { state in
            if state.schema == nil { state.schema = try? core.knownSchema() }
            if let found = state.schema?.types[type]?[field] { return found.shape }
            guard !state.isFresh else { return nil }
            state = State(schema: (try? core.schema()) ?? state.schema, isFresh: true)
            return state.schema?.types[type]?[field]?.shape
        }
    }
}
