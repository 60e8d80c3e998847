import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization

/// An embedded backend over a store in its own folder.
final class EmbeddedRoom: BackendRoom {
    let kind: StoreKind
    private let scratch: Scratch
    private let now: Mutex<(store: Store, backend: EmbeddedBackend)>

    init(_ kind: StoreKind = .plain) throws {
        (self.kind, scratch) = (kind, try Scratch())
        let store = try Self.open(kind, scratch)
        now = Mutex((store, EmbeddedBackend(store)))
    }

    deinit { try? store.close() }

    var store: Store { now.withLock { $0.store } }
    var backend: any RecordBackend { now.withLock { $0.backend } }

    func restart() throws {
        try store.close()
        let store = try Self.open(kind, scratch)
        now.withLock { $0 = (store, EmbeddedBackend(store)) }
    }

    private static func open(_ kind: StoreKind, _ scratch: Scratch) throws -> Store {
        var options = StoreOptions()
        options.suite = kind.suite
        return try Store.open(
            at: scratch.path("records.bulla"), key: try kind.key(), options: options)
    }
}

extension BackendMaker {
    static func embedded(_ kind: StoreKind) -> BackendMaker {
        BackendMaker("embedded, \(kind.rawValue)") { try EmbeddedRoom(kind) }
    }

    /// Every kind that must pass the same checks.
    static let all = [memory, embedded(.plain), embedded(.gcm)]
}
