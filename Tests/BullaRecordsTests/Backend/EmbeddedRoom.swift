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
        try reopen()
    }

    /// Makes a backup of the store.
    func backUp(as name: String) throws { _ = try store.backup(to: scratch.path(name)) }

    /// Puts a backup in the store's place, which begins another timeline.
    func restore(_ name: String) throws {
        try replaceFile { path in
            try Store.restore(from: [scratch.path(name)], to: path, key: try kind.key())
        }
    }

    /// Copies the file of the store.
    func copyFile(as name: String) throws {
        try store.close()
        try scratch.copy("records.bulla", to: name)
        try reopen()
    }

    /// Replaces the file by an earlier copy in the same timeline, which is what a restore must not
    /// do.
    func putFileBack(_ name: String) throws {
        try replaceFile { _ in try scratch.copy(name, to: "records.bulla") }
    }

    private func replaceFile(_ body: (_ path: String) throws -> Void) throws {
        try store.close()
        try scratch.remove("records.bulla")
        try body(scratch.path("records.bulla"))
        try reopen()
    }

    private func reopen() throws {
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
    static let all = [memory, embedded(.plain), embedded(.gcm), placed]
}
