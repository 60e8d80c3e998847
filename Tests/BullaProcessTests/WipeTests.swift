import Bulla
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

/// A worker does everything that copies with canaries, closes its store, and stays, with the store,
/// a snapshot, a cursor and a tree still held.
@Suite struct `A store that was closed` {
    /// A worker at work on a store of its own, and what is searched for in its memory.
    private struct Leaver {
        let files: TestStore
        let worker: WorkerProcess
        /// The canaries of each verb, one part behind the other.
        let canaries: CanarySearch
        /// The user's key, the data key, and that of the meta slots.
        let keys: CanarySearch
        let memory: ProcessMemory

        init(_ kind: StoreKind, _ values: String...) throws {
            files = try TestStore(kind)
            var random = SystemRandomNumberGenerator()
            let key = (0..<8).flatMap { _ in random.next().bytes }
            let seed = Int.random(in: 1..<1 << 40)
            let storeKey = kind == .plain ? nil : try StoreKey(key)
            var options = StoreOptions()
            options.suite = kind.suite
            try Store.open(at: files.path, key: storeKey, options: options).close()
            keys = CanarySearch(
                kind == .plain
                    ? [] : try StoreKeys.bytes(files.scratch.bytes(TestStore.name), userKey: key))
            canaries = CanarySearch(
                CanaryVerb.allCases.flatMap { verb in
                    CanaryVerb.Part.allCases.map { verb.canary($0, seed).bytes }
                })
            worker = try WorkerProcess(
                ["leave", "path=\(files.path)", "seed=\(seed)", "cache=64"] + values,
                key: kind == .plain ? nil : key, errors: files.scratch.path("errors"))
            let said = try worker.values()
            #expect(said["held"] == UInt64(Canary.byteCount))
            memory = try ProcessMemory(worker.child.number)
        }

        /// Has the store closed.
        func close() throws {
            worker.begin()
            _ = try worker.values()
        }

        /// Which of a verb's canaries are found, by name.
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

        /// How many keys in some form are in the worker's memory.
        func traces(_ memory: ProcessMemory) throws -> (keys: Int, schedules: Int, secrets: Int) {
            var (schedules, secrets) = (0, 0)
            var found: Set<Int> = []
            try memory.forEachPart(of: memory.mappings) { bytes in
                found.formUnion(keys.found(in: bytes))
                schedules += KeyTrace.scheduleCount(in: bytes)
                secrets += KeyTrace.secretCount(in: bytes)
            }
            return (found.count, schedules, secrets)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `leaves no plaintext and no key in memory, whatever is still held`(
        kind: StoreKind
    ) throws {
        let leaver = try Leaver(kind)
        // The same search finds them first: an entry of every verb that leaves one. A plain store
        // is read in the mapped file, and memory of its own has what was changed last.
        let before = Set(try leaver.found(leaver.memory))
        let kept = CanaryVerb.allCases.filter { $0.keepsEntry }
        for verb in kind == .plain ? kept.suffix(1) : kept {
            #expect(before.contains("key of \(verb)"))
            #expect(before.contains("value of \(verb)") || !verb.keepsValueInMemory)
        }
        #expect(leaver.memory.mappings.contains { $0.path.hasSuffix(TestStore.name) })
        if kind != .plain {
            let traces = try leaver.traces(leaver.memory)
            // The user's key went with the worker's reference, and the others are in use.
            #expect(traces.keys == 2 && traces.schedules > 0 && traces.secrets > 0)
        }
        try leaver.close()
        let memory = try ProcessMemory(leaver.worker.child.number)
        #expect(try leaver.found(memory) == [])
        #expect(!memory.mappings.contains { $0.path.hasSuffix(TestStore.name) })
        let traces = try leaver.traces(memory)
        #expect(traces == (0, 0, 0), "\(traces)")
        leaver.worker.begin()
        let closed = UInt64(BullaError.Code.closed.number)
        for verb in ["late-get", "late-cursor", "late-write"] {
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
        leaver.worker.child.signal(CoreDumpFile.signal)
        let end = try leaver.worker.child.wait(patience: TestMode.patience)
        #expect(end == .killed(CoreDumpFile.signal))
        let name = try #require(try folder.names().first { $0.hasPrefix("core") })
        let bytes = try folder.bytes(name)
        #expect(leaver.names(leaver.canaries.found(in: bytes)) == ["value of put"])
        if isClosed { #expect(leaver.keys.found(in: bytes).isEmpty) }
    }
}

/// The files that the kernel writes of processes that end badly.
enum CoreDumpFile {
    /// One that a test's threads do not hold back: who is spawned by them inherits what they do.
    static let signal = SIGSYS

    /// Whether they come into the process's folder, and not to another program.
    static let isPlain: Bool = {
        let pattern = try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
        return pattern.map { $0.hasPrefix("core") && !$0.contains("/") } ?? false
    }()
}
