import Bulla
import BullaTestSupport
import Foundation
import Testing

/// The word of a reader slot that says whose snapshot was ended, as the layout documents it.
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
            options.fixLog(halfByteCount: nil)
        }
        for version in 0..<3 { try fill(store, version, .full) }
        return store
    }

    /// Writes so many pages that the writer looks for some that may be used again.
    private func fill(_ store: Store, _ version: Int, _ durability: Durability) throws {
        let value = [UInt8](repeating: UInt8(version), count: 700)
        try store.write(durability: durability) { change in
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

    @Test func `is not put on the newest durable commit, but on one before it`() throws {
        let store = try open()
        let snapshot = try store.makeSnapshot()
        // Published ones only: a snapshot that begins now would stand on the same commit.
        for version in 3..<9 { try fill(store, version, .relaxed(within: .seconds(3600))) }
        #expect(try store.makeSnapshot().commit == snapshot.commit)
        #expect(try mark() != snapshot.commit)
        for version in 9..<12 { try fill(store, version, .full) }
        #expect(try mark() == snapshot.commit)
        _ = consume snapshot
        try store.close()
    }
}
