import Bulla
import BullaTestSupport
import Foundation
import Testing

/// What a process keeps of the log in memory after the trees have taken it over.
@Suite struct `A log that was taken over` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s")) { $0.fixLog(halfByteCount: 4 << 20) }
    }

    private func put(_ numbers: Range<Int>, in store: Store) throws {
        try store.write { change in
            try change.putNumbered(numbers, in: try change.openOrCreateTree(named: "t"))
        }
    }

    private func count(_ store: Store) throws -> Int {
        try store.read { try $0.count(of: try $0.tree(named: "t")) }
    }

    /// Another handle behaves like another process, which learns of the checkpoint with its next
    /// snapshot.
    @Test(arguments: StoreKind.allCases)
    func `takes no memory of the process that did so, nor of others`(kind: StoreKind) throws {
        let (first, second) = (try open(kind), try open(kind))
        let stores = [first, second]
        let empty = try stores.map { try $0.info.log.memoryByteCount }
        for number in 0..<8 { try put(number * 1000..<number * 1000 + 1000, in: first) }
        for store in stores { #expect(try count(store) == 8000) }
        let full = try stores.map { try $0.info.log.memoryByteCount }
        #expect(zip(full, empty).allSatisfy { $0 > $1 + 100_000 })
        try first.takeOverLog()
        for store in stores { #expect(try count(store) == 8000) }
        #expect(try stores.map { try $0.info.log.memoryByteCount } == empty)
        // The log goes on from there.
        try put(8000..<8010, in: second)
        for store in stores { #expect(try count(store) == 8010) }
        try second.close()
        try first.close()
        let again = try open(kind)
        #expect(try count(again) == 8010)
        try again.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `says to a snapshot that began before what it said`(kind: StoreKind) throws {
        let store = try open(kind)
        try put(0..<100, in: store)
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        try store.takeOverLog()
        try put(100..<200, in: store)
        try store.takeOverLog()
        #expect(try snapshot.count(of: tree) == 100)
        #expect(try count(store) == 200)
        _ = consume snapshot
        try store.close()
    }

    /// The transaction's first changes were indexed on top of what the log held at the time.
    @Test(arguments: StoreKind.allCases)
    func `is gone on with by a transaction that began before`(kind: StoreKind) throws {
        let store = try open(kind)
        try put(0..<100, in: store)
        var change = try store.beginWrite()
        let tree = try change.tree(named: "t")
        try change.putNumbered(100..<150, in: tree)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            #expect(throws: Never.self) { try store.takeOverLog() }
            done.signal()
        }
        done.wait()
        try change.putNumbered(150..<200, in: tree)
        #expect(try change.count(of: tree) == 200)
        try change.commit()
        #expect(try count(store) == 200)
        try put(200..<210, in: store)
        #expect(try count(store) == 210)
        #expect(try store.check().isSound)
        try store.close()
        let again = try open(kind)
        #expect(try count(again) == 210)
        try again.close()
    }
}
