import Bulla
import BullaTestSupport
import Foundation
import Testing

/// The word of a reader slot that says which snapshot was ended, as the layout documents it.
@Suite struct `The mark of an ended snapshot` {
    private let scratch: Scratch
    private static let mark = 4096 + 16

    init() throws { scratch = try Scratch() }

    private func open() throws -> Store {
        let store = try StoreKind.gcm.open(
            scratch.path("s.bulla"), pageByteCount: 4096
        ) { options in
            options.cacheByteLimit = 4096
            options.snapshotCommitLimit = 2
            options.fixLog(halfByteCount: 4 << 20)
        }
        for version in 0..<3 { try replace(store, version) }
        return store
    }

    /// Makes the trees take over so many changes that the process looks for reusable pages.
    private func replace(_ store: Store, _ version: Int) throws {
        try fill(store, version)
        try store.takeOverLog()
    }

    private func fill(_ store: Store, _ version: Int) throws {
        let value = [UInt8](repeating: UInt8(version), count: 700)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<500 { try change.put(value, forKey: "key \(number)", in: tree) }
        }
    }

    private func mark() throws -> UInt64 {
        try scratch.bytes("s.bulla.bulla-world").load(UInt64.self, at: Self.mark)
    }

    @Test func `is cleared before another snapshot of that commit begins in its slot`() throws {
        let store = try open()
        let commit = try store.read { $0.commit }
        let file = try FileHandle(
            forUpdating: URL(fileURLWithPath: scratch.path("s.bulla.bulla-world")))
        try file.seek(toOffset: UInt64(Self.mark))
        try file.write(contentsOf: Data(commit.bytes))
        try file.close()
        #expect(try mark() == commit)
        let snapshot = try store.makeSnapshot()
        #expect(snapshot.commit == commit)
        #expect(try mark() == 0)
        _ = consume snapshot
        try store.close()
    }

    @Test func `is not put on the newest checkpoint, but on one before it`() throws {
        let store = try open()
        let snapshot = try store.makeSnapshot()
        // As long as no new checkpoint is made, a new snapshot would read the same checkpoint as
        // `snapshot`.
        for version in 3..<6 { try fill(store, version) }
        #expect(try mark() == 0)
        for version in 6..<12 { try replace(store, version) }
        #expect(try mark() == snapshot.commit)
        _ = consume snapshot
        try store.close()
    }
}
