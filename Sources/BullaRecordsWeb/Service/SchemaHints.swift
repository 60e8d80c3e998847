import BullaRecords
internal import Synchronization

/// What the schema says of the fields of one request.
///
/// Another process may have added what is asked for: so the schema is read anew, once, before a
/// field counts as unknown.
final class SchemaHints: Sendable {
    private struct State {
        var schema: RecordSchema?
        var isFresh = false
    }

    private let core: RecordCore
    private let state = Mutex(State())

    init(_ core: RecordCore) { self.core = core }

    /// `nil` where there is no such field, or the schema cannot be read: the core refuses then.
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
