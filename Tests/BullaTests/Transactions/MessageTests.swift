import Bulla
import BullaTestSupport
import Testing

/// An error message names the store by its path, and names nothing secret in the store.
@Suite struct `A message` {
    private static let secret = "hush-hush"

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreKind.allCases)
    func `names the store that it is about, and neither key nor value nor tree`(
        kind: StoreKind
    ) throws {
        let store = try kind.open(scratch.path("s.bulla"), pageByteCount: 4096)
        let errors = try failures(store)
        #expect(errors.count == 15)
        for error in errors {
            #expect(error.message.contains(scratch.path("s.bulla")), "\(error)")
            #expect(!"\(error)".contains(Self.secret), "\(error)")
            #expect(!String(reflecting: error).contains(Self.secret))
        }
        try store.close()
    }

    /// A store is built under a temporary name, which means nothing to the caller.
    @Test(arguments: StoreKind.allCases)
    func `of a store that cannot be made names no other file`(kind: StoreKind) throws {
        let path = scratch.path("new.bulla")
        let error = refusal {
            _ = try Store.open(
                at: path, key: kind.key(), options: StoreOptions(), storage: RefusingStorage.full)
        }
        #expect(error?.code == .full && error.says("open \(path): "), "\(error as Any)")
    }

    private func failures(_ store: Store) throws -> [BullaError] {
        let secret = Self.secret
        let long = Array(String(repeating: secret, count: 200).utf8)
        var former: Tree?
        try store.write { former = try $0.openOrCreateTree(named: secret) }
        let tree = try #require(former)
        let attempts: [() throws -> Void] = [
            { try store.read { _ = try $0.tree(named: secret + "!") } },
            { try store.write { _ = try $0.tree(named: secret + "!") } },
            { try store.read { _ = try $0.tree(named: long) } },
            { try store.read { _ = try $0.value(forKey: secret, in: tree) } },
            { try store.write { _ = try $0.openOrCreateTree(named: long) } },
            { try store.write { _ = try $0.createTree(named: secret) } },
            { try store.write { try $0.renameTree(named: secret, to: secret) } },
            {
                try store.write { try $0.put(secret, forKey: long, in: try $0.tree(named: secret)) }
            },
            {
                try store.write { change in
                    let tree = try change.tree(named: secret)
                    try change.dropTree(named: secret)
                    _ = try change.value(forKey: secret, in: tree)
                }
            },
            {
                let snapshot = try store.makeSnapshot()
                let cursor = try snapshot.makeCursor(in: try snapshot.tree(named: secret))
                try cursor.withKey { _ in }
            },
            {
                var bytes: [UInt8] = [0]
                let snapshot = try store.makeSnapshot()
                _ = try snapshot.readValue(
                    forKey: secret, in: try snapshot.tree(named: secret), at: -1, into: &bytes)
            },
            {
                try store.write { change in
                    let tree = try change.tree(named: secret)
                    let part = [UInt8](repeating: 7, count: 1 << 20)
                    try change.putStream(forKey: secret, in: tree) { write in
                        for _ in 0..<17 { try part.withBytes { try write($0) } }
                    }
                    _ = try change.value(forKey: secret, in: tree)
                }
            },
            { try store.write { _ in try store.write { _ in } } },
            { _ = try store.backup(to: store.path) },
            {
                let other = try Store.open(
                    at: store.path, key: StoreKind.gcm.key())
                try other.close()
                let closed = other
                _ = try closed.makeSnapshot()
            },
        ]
        return attempts.compactMap { attempt in refusal(attempt) }
    }
}
