import Bulla
import BullaMemory
import BullaRecords
import BullaTestSupport
import Synchronization

/// A core over its own store, with accounts that can call it.
final class CoreFixture: Sendable {
    let core: RecordCore
    /// The core's keys, for tests that inspect or forge stored data.
    let container: ContainerKeys
    let backend: any RecordBackend
    let store: Store
    let place: Place
    let clock = Clock()
    private let scratch: Scratch

    static let zone = "notes"

    init(
        _ environment: Environment = .development, limits: RecordLimits = RecordLimits(),
        sharing other: CoreFixture? = nil, backend: (any RecordBackend)? = nil,
        roles: @escaping RecordCore.RoleFinder = { _ in [] }
    ) throws {
        scratch = try other?.scratch ?? Scratch()
        place = Place("iCloud.org.example.notes", environment)
        store =
            try other?.store
            ?? Store.open(at: scratch.path("records.bulla"), key: StoreKind.gcm.key())
        let secret = try SecretBytes(copying: [UInt8](repeating: 3, count: 32))
        container = try ContainerKeys(place, secret)
        self.backend = backend ?? EmbeddedBackend(store)
        core = try RecordCore(
            self.backend, ContainerKeys(place, secret), limits: limits, roles: roles,
            clock: { [clock] in clock.next() })
    }

    /// The first account's private database in another store, under the same keys.
    func view(over store: Store) throws -> DatabaseView {
        let secret = try SecretBytes(copying: [UInt8](repeating: 3, count: 32))
        let core = try RecordCore(
            EmbeddedBackend(store), ContainerKeys(place, secret), clock: { 1_700_000_000_000 })
        return try core.database(.private, .account(account()))
    }

    /// A clock that advances by a millisecond with each reading.
    final class Clock: Sendable {
        private let time = Atomic<Int64>(1_700_000_000_000)
        func next() -> Int64 { time.add(1, ordering: .relaxed).newValue }
        func pass(_ milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }
    }

    /// The keys of the account with this number.
    func account(_ number: UInt8 = 1, epoch: UInt32 = 1) throws -> AccountKeys {
        guard let identifier = RandomIdentifier(bytes: [UInt8](repeating: number, count: 16)) else {
            preconditionFailure("there are 16 bytes")
        }
        let bytes = [UInt8](repeating: number &+ UInt8(epoch), count: 32)
        return try AccountKeys(
            AccountIdentifier(identifier), in: place, epoch: epoch,
            serviceKey: SecretBytes(copying: bytes))
    }

    /// An account's private database, with a zone in it.
    func database(_ number: UInt8 = 1, epoch: UInt32 = 1) throws -> DatabaseView {
        let view = try core.database(.private, .account(account(number, epoch: epoch)))
        try view.createZone(Self.zone)
        return view
    }
}

extension DatabaseView {
    func save(
        _ name: String, _ fields: [String: RecordChange.FieldChange?] = [:], type: String = "Note",
        _ condition: RecordChange.Condition = .none, isReplacing: Bool = false,
        parent: RecordChange.ParentChange? = nil, in zone: String = CoreFixture.zone
    ) throws -> ChangeResult {
        let save = RecordChange.Save(
            type, condition, isReplacing: isReplacing, fields: fields, parent: parent)
        return try modify([RecordChange(name, .save(save))], in: zone)[0]
    }

    func delete(
        _ name: String, _ condition: RecordChange.Condition = .none,
        in zone: String = CoreFixture.zone
    ) throws -> ChangeResult {
        try modify([RecordChange(name, .delete(condition))], in: zone)[0]
    }

    func record(_ name: String, in zone: String = CoreFixture.zone) throws -> Record {
        try records([name], in: zone)[0].get()
    }

    func has(_ name: String) throws -> Bool {
        switch try records([name], in: CoreFixture.zone)[0] {
        case .success: true
        case .failure(let error) where error.code == .unknownItem: false
        case .failure(let error): throw error
        }
    }
}

extension ChangeResult {
    var record: Record {
        get throws {
            switch self {
            case .saved(let record): record
            case .failed(let error, _): throw error
            case .deleted: throw RecordError(.internalError, "it was deleted")
            }
        }
    }

    var code: RecordError.Code? { error?.code }

    var current: Record? {
        if case .failed(_, let current) = self { current } else { nil }
    }
}

extension RecordChange.FieldChange {
    static func plain(_ value: RecordValue) -> Self { Self(value) }
    static func sealed(_ value: RecordValue) -> Self { Self(value, isEncrypted: true) }
}

extension WriteTransaction {
    /// All entries of a tree.
    func entries(of tree: Tree) throws -> [(key: [UInt8], value: [UInt8])] {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        try scan(tree) { key, value in
            entries.append(([UInt8](copying: key), [UInt8](copying: value)))
            return .next
        }
        return entries
    }
}
