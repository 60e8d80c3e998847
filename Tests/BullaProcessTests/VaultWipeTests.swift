import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

/// What memory keeps of a vault's keys, its password, and lent cleartext: a process seals and opens
/// canaries in every way there is, locks the vault, and closes the store.
@Suite struct `A vault that was locked` {
    private static let lent = Set(VaultCanary.allCases.filter { $0.isLent })

    @Test(arguments: StoreKind.allCases)
    func `leaves no key and no cleartext in memory that can be searched`(kind: StoreKind) throws {
        let lender = try Lender(kind, "hide=0")
        #expect(lender.said["hidden"] == 0)
        // The same search finds what is in use: lent cleartext, the password, and all keys that are
        // kept.
        let inside = try lender.traces()
        #expect(inside.canaries == Self.lent.union([.password]))
        #expect(inside.keys == [.stretched, .secret, .first, .second])
        #expect(inside.scheduleCount > 0)
        // Lent cleartext is gone after its closure has ended.
        try lender.goOn()
        let open = try lender.traces()
        #expect(open.canaries == [.password])
        #expect(open.keys == inside.keys)
        let said = try lender.goOn()
        #expect(said["secrets"] == 0)
        #expect(try lender.traces() == Lender.Traces())
        _ = try lender.worker.stop()
    }

    @Test func `and one that is open show nothing where memory is their process's alone`() throws {
        let lender = try Lender(.gcm)
        guard lender.said["hidden"] ?? 0 > 0 else { return }
        let inside = try lender.traces()
        #expect(inside.canaries == [])
        // Only the keys that libcrypto works with can be found.
        #expect(inside.keys.isSubset(of: [.first, .second]))
        try lender.goOn()
        try lender.goOn()
        #expect(try lender.traces() == Lender.Traces())
        _ = try lender.worker.stop()
    }

    @Test func `leaves a copy that its caller keeps, and the same search finds it`() throws {
        let lender = try Lender(.gcm, "plant=1")
        try lender.goOn()
        try lender.goOn()
        #expect(try lender.traces() == Lender.Traces(canaries: [.lent]))
        _ = try lender.worker.stop()
    }

    @Test(.enabled(if: CoreDumpFile.isPlain), arguments: StoreKind.allCases, [0, 1])
    func `leaves nothing in a core dump, and an open one what libcrypto works with`(
        kind: StoreKind, hide: Int
    ) throws {
        for isLocked in [false, true] {
            let folder = try Scratch()
            let lender = try Lender(kind, "hide=\(hide)", "core=\(folder.folder)", "plant=1")
            if isLocked {
                try lender.goOn()
                try lender.goOn()
            }
            let traces = try lender.dumpedTraces(folder)
            #expect(traces.canaries == [.lent])
            #expect(isLocked ? traces.keys == [] : traces.keys.isSubset(of: [.first, .second]))
            #expect(!isLocked || traces.scheduleCount == 0)
        }
    }
}
