import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

/// A worker that uses a vault, and the secrets to search for in the worker's memory.
///
/// The vault is in a store of its own.
struct Lender {
    let files: TestStore
    let worker: WorkerProcess
    let keys: VaultSecrets
    /// The worker's report, from inside a loan, on its memory for secrets.
    let said: [String: UInt64]
    private let canaries: CanarySearch

    /// The findings of a search.
    struct Traces: Equatable {
        var canaries: Set<VaultCanary> = []
        var keys: Set<VaultSecrets.Name> = []
        var scheduleCount = 0
    }

    init(_ kind: StoreKind, _ values: String...) throws {
        files = try TestStore(kind)
        let seed = Int.random(in: 1..<1 << 36)
        canaries = CanarySearch(VaultCanary.allCases.map { $0.bytes(seed) })
        let maker = try files.open()
        let key = try VaultCanary.password(seed)
        try maker.createVault(named: VaultCanary.vault, keys: [key]).lock()
        try maker.close()
        worker = try files.worker("lend", ["seed=\(seed)", "cache=16"] + values)
        said = try worker.values()
        let errors = try files.scratch.bytes("errors")
        #expect(errors.isEmpty, "\(String(decoding: errors, as: UTF8.self))")
        let store = try files.open()
        keys = try store.read { snapshot in
            let record = try snapshot.value(
                forKey: VaultCanary.vault, in: try snapshot.tree(named: "bulla.vaults"))
            let tree = try snapshot.tree(named: "logins")
            let keys = try VaultSecrets(
                record: try #require(record), vault: VaultCanary.vault,
                password: VaultCanary.password.bytes(seed), tree: UInt64(tree.number))
            // Make sure that these are the worker's keys. With one of them, the worker has hidden
            // the key of an entity.
            let hidden = try keys.hidden(VaultCanary.hiddenKey.bytes(seed))
            #expect(try snapshot.first(in: tree)?.key == hidden)
            return keys
        }
        try store.close()
    }

    /// Lets the worker continue to its next stop.
    @discardableResult
    func goOn() throws -> [String: UInt64] {
        worker.begin()
        return try worker.values()
    }

    /// The traces in all of the worker's readable memory.
    func traces() throws -> Traces {
        let memory = try ProcessMemory(worker.child.number)
        var traces = Traces()
        let extent = try memory.forEachPart(of: memory.mappings) { look(at: $0, &traces) }
        print("memory search: \(extent.byteCount) bytes of a process that used a vault")
        #expect(extent.byteCount > 1 << 20)
        return traces
    }

    /// Ends the worker, and returns the traces in its core dump.
    func dumpedTraces(_ folder: Scratch) throws -> Traces {
        let bytes = try CoreDumpFile.bytes(of: worker, in: folder)
        print("memory search: \(bytes.count) bytes of a core dump")
        #expect(bytes.count > 1 << 20)
        var traces = Traces()
        look(at: bytes, &traces)
        return traces
    }

    private func look(at bytes: [UInt8], _ traces: inout Traces) {
        traces.canaries.formUnion(canaries.found(in: bytes).map { VaultCanary.allCases[$0] })
        traces.keys.formUnion(keys.names(keys.search.found(in: bytes)))
        traces.scheduleCount += KeyTrace.scheduleCount(in: bytes)
    }
}
