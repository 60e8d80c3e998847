import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

/// A worker that has run every verb that copies bytes, and the secrets to search for in the
/// worker's memory.
///
/// The worker has a store of its own.
struct Leaver {
    let files: TestStore
    let worker: WorkerProcess
    /// A canary for each part of each verb's entry, ordered by verb, and then by part.
    let canaries: CanarySearch
    let keys: StoreKeys
    let memory: ProcessMemory
    /// The worker's report on its memory for secrets.
    let said: [String: UInt64]

    init(_ kind: StoreKind, pool: PoolOwner? = nil, _ values: String...) throws {
        files = try TestStore(kind, pool: pool)
        var random = SystemRandomNumberGenerator()
        let key = (0..<8).flatMap { _ in random.next().bytes }
        let seed = Int.random(in: 1..<1 << 40)
        let storeKey = kind == .plain ? nil : try StoreKey(key)
        var options = StoreOptions()
        options.suite = kind.suite
        try Store.open(at: files.path, key: storeKey, options: options).close()
        let file = try files.scratch.bytes(TestStore.name)
        canaries = CanarySearch(
            CanaryVerb.allCases.flatMap { verb in
                CanaryVerb.Part.allCases.map { verb.canary($0, seed).bytes }
            })
        worker = try WorkerProcess(
            ["leave", "path=\(files.path)", "seed=\(seed)", "cache=64"] + values,
            key: kind == .plain ? nil : key, pool: pool?.descriptor,
            errors: files.scratch.path("errors"))
        said = try worker.values()
        #expect(said["held"] == UInt64(Canary.byteCount))
        memory = try ProcessMemory(worker.child.number)
        guard kind != .plain else {
            keys = StoreKeys()
            return
        }
        let world = try files.scratch.bytes(TestStore.name + ".bulla-world")
        keys = try StoreKeys(path: files.path, file: file, world: world, userKey: key)
    }

    /// Makes the worker close the store, and returns its new report on its memory.
    @discardableResult
    func close() throws -> [String: UInt64] {
        worker.begin()
        return try worker.values()
    }

    /// The canaries that are found, each named by its part of an entry and its verb.
    func found(_ memory: ProcessMemory, dumped: Bool = false) throws -> [String] {
        let mappings = memory.mappings.filter { !dumped || $0.isDumped }
        return names(try memory.canaries(canaries, in: mappings))
    }

    func names(_ found: Set<Int>) -> [String] {
        found.sorted().map { index in
            let count = CanaryVerb.Part.allCases.count
            let verb = CanaryVerb.allCases[index / count]
            return "\(CanaryVerb.Part.allCases[index % count]) of \(verb)"
        }
    }

    /// The keys of the store that are found in the worker's memory, and the number of AES keys that
    /// are found there in expanded form.
    func traces(_ memory: ProcessMemory) throws -> KeyTraces {
        var traces = KeyTraces()
        var found: Set<Int> = []
        let search = keys.search
        traces.extent = try memory.forEachPart(of: memory.mappings) { bytes in
            found.formUnion(search.found(in: bytes))
            traces.scheduleCount += KeyTrace.scheduleCount(in: bytes)
        }
        traces.keys = keys.names(found)
        return traces
    }
}

/// The traces of a store's keys that a search has found.
struct KeyTraces {
    var keys: Set<StoreKeys.Name> = []
    /// The number of expanded AES keys, whichever keys they are.
    var scheduleCount = 0
    var extent = SearchExtent()
}
