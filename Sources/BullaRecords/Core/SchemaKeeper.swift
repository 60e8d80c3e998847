internal import BullaMemory
internal import Synchronization

/// The schema of a place, as this process knows it.
///
/// The backend stores it as text with an HMAC, so that the backend cannot change what may be saved
/// or in which form. The schema changes by compare-and-set on its version: if two processes add the
/// same field with different kinds, one is refused.
final class SchemaKeeper: Sendable {
    private let backend: any RecordBackend
    private let container: ContainerKeys
    private let known = Mutex<Known?>(nil)

    struct Known: Sendable {
        let version: UInt64
        let schema: RecordSchema
    }

    init(_ backend: any RecordBackend, _ container: ContainerKeys) {
        (self.backend, self.container) = (backend, container)
    }

    /// The schema as this process last read or stored it; the first call reads it.
    func current() throws(RecordError) -> Known {
        if let known = known.withLock({ $0 }) { return known }
        return try reload()
    }

    /// Reads the present schema.
    @discardableResult
    func reload() throws(RecordError) -> Known {
        let stored = try backend.document(PlaceDocument.schema, of: container.place)
        let fresh =
            try stored.map { stored throws(RecordError) in try read(stored) }
            ?? Known(version: 0, schema: RecordSchema())
        return known.withLock { known in
            // Another thread may have read a later schema.
            if let known, known.version > fresh.version { return known }
            known = fresh
            return fresh
        }
    }

    /// Replaces the schema if it is still `former`; returns `nil` if it is not.
    func replace(
        _ former: Known, with schema: RecordSchema
    ) throws(RecordError) -> Known? {
        let version = former.version + 1
        let text = SchemaText.bytes(schema)
        let bytes = try container.schemaVoucher(version).vouched(text)
        let isReplaced = try backend.replace(
            PlaceDocument.schema, of: container.place, version: former.version, with: bytes)
        guard isReplaced else { return nil }
        let fresh = Known(version: version, schema: schema)
        known.withLock { $0 = fresh }
        return fresh
    }

    private func read(_ stored: StoredDocument) throws(RecordError) -> Known {
        guard let text = try container.schemaVoucher(stored.version).body(of: stored.bytes) else {
            throw RecordError(.damaged, "read the schema: the container's keys do not vouch for it")
        }
        do throws(SchemaTextFault) {
            let schema = try SchemaText.read(text, version: stored.version)
            return Known(version: stored.version, schema: schema)
        } catch { throw RecordError(.damaged, "read the schema: \(error.recordError.reason)") }
    }
}
