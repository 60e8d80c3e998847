import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

/// With canaries, a worker runs every verb that copies bytes; then it closes its store, and stays
/// alive.
///
/// It still holds the store, a snapshot, a cursor, a tree and a follower of changes.
@Suite struct `A store that was closed` {
    @Test(arguments: StoreKind.allCases)
    func `leaves no plaintext and no key in memory, whatever is still held`(
        kind: StoreKind
    ) throws {
        let leaver = try Leaver(kind)
        // The same search first finds an entry of every verb that leaves one. A plain store is read
        // in the mapped file, so only the last changes are in the process's own memory. A
        // checkpoint can move an entry while its memory is searched, so search twice.
        let before = Set(try leaver.found(leaver.memory)).union(try leaver.found(leaver.memory))
        let kept = CanaryVerb.allCases.filter { $0.keepsEntry }
        for verb in kind == .plain ? kept.suffix(1) : kept {
            #expect(before.contains("key of \(verb)"))
            #expect(before.contains("value of \(verb)") || !verb.keepsValueInMemory)
        }
        #expect(leaver.memory.mappings.contains { $0.path.hasSuffix(TestStore.name) })
        if kind != .plain {
            let traces = try leaver.traces(leaver.memory)
            // The user's key is gone, because the worker has dropped it; libcrypto works with the
            // keys that are left.
            #expect(traces.keys == [.data, .meta, .board])
            #expect(traces.scheduleCount > 0)
            #expect(leaver.said["secrets"] ?? 0 > 0)
        }
        let said = try leaver.close()
        #expect(said["secrets"] == 0)
        let memory = try ProcessMemory(leaver.worker.child.number)
        #expect(try leaver.found(memory) == [])
        #expect(!memory.mappings.contains { $0.path.hasSuffix(TestStore.name) })
        let traces = try leaver.traces(memory)
        #expect(traces.keys == [] && traces.scheduleCount == 0, "\(traces)")
        #expect(traces.extent.byteCount > 1 << 20, "\(traces)")
        leaver.worker.begin()
        let closed = UInt64(BullaError.Code.closed.number)
        for verb in ["late-get", "late-cursor", "late-changes", "late-write"] {
            let (name, code) = try WorkerProcess.parse(try #require(try leaver.worker.line()))
            #expect(name == verb && code == closed)
        }
        _ = try leaver.worker.stop()
    }

    @Test func `leaves a copy that its caller keeps, and the same search finds it`() throws {
        let leaver = try Leaver(.gcm, "plant=1")
        try leaver.close()
        let memory = try ProcessMemory(leaver.worker.child.number)
        #expect(try leaver.found(memory) == ["value of put"])
        #expect(try leaver.found(memory, dumped: true) == ["value of put"])
    }

    @Test(.enabled(if: !CoreDumpFile.isPlain))
    func `and one that is open have no plaintext in what a core dump would hold`() throws {
        let leaver = try Leaver(.gcm)
        #expect(try leaver.found(leaver.memory, dumped: true) == [])
        try leaver.close()
        let memory = try ProcessMemory(leaver.worker.child.number)
        #expect(try leaver.found(memory, dumped: true) == [])
    }

    @Test(.enabled(if: CoreDumpFile.isPlain), arguments: StoreKind.allCases, [false, true])
    func `and one that is open have no plaintext in a core dump`(
        kind: StoreKind, isClosed: Bool
    ) throws {
        let folder = try Scratch()
        let leaver = try Leaver(kind, "plant=1", "core=\(folder.folder)")
        if isClosed { try leaver.close() }
        // Leave out the registers for a plain store, because they hold what its threads have copied
        // last, including pages.
        let bytes = try CoreDumpFile.bytes(
            of: leaver.worker, in: folder, hasRegisters: kind != .plain)
        #expect(leaver.names(leaver.canaries.found(in: bytes)) == ["value of put"])
    }
}
