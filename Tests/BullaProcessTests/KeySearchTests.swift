import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

/// Where a process keeps keys, and what is left of them: the tests search, from outside, all memory
/// of the process, and the core dump that the kernel writes when the process dies.
@Suite struct `A search for keys` {
    /// What a worker has put into each kind of memory, and what a search finds of it.
    private struct Plants {
        let worker: WorkerProcess
        let hiddenByteCount: UInt64
        private let search: CanarySearch

        init(_ scratch: Scratch, _ values: String...) throws {
            let seed = Int.random(in: 1..<1 << 40)
            search = CanarySearch(PlantPlace.allCases.map { $0.canary(seed).bytes })
            worker = try WorkerProcess(
                ["plant", "seed=\(seed)"] + values, key: nil, errors: scratch.path("errors"))
            hiddenByteCount = try worker.values()["hidden"] ?? 0
        }

        func found(in bytes: [UInt8]) -> Set<PlantPlace> {
            Set(search.found(in: bytes).map { PlantPlace.allCases[$0] })
        }

        func foundInMemory() throws -> (places: Set<PlantPlace>, extent: SearchExtent) {
            let memory = try ProcessMemory(worker.child.number)
            var places: Set<PlantPlace> = []
            let extent = try memory.forEachPart(of: memory.mappings) {
                places.formUnion(found(in: $0))
            }
            return (places, extent)
        }
    }

    @Test func `finds what is planted on the heap, on a stack, in a mapping and in a secret`()
        throws
    {
        let plants = try Plants(try Scratch(), "hide=0")
        #expect(plants.hiddenByteCount == 0)
        let (places, extent) = try plants.foundInMemory()
        #expect(places == [.heap, .stack, .mapping, .secret])
        #expect(extent.byteCount > 1 << 20)
        _ = try plants.worker.stop()
    }

    @Test func `takes no number that is repeated for a key schedule`() {
        let words = [UInt32](repeating: 70_707, count: 8) + (0..<8).map { $0 % 2 * 70_707 }
        let bytes = words.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        #expect(KeyTrace.scheduleCount(in: bytes) == 0)
    }

    @Test func `does not find a secret where memory is its process's alone`() throws {
        let plants = try Plants(try Scratch())
        let (places, extent) = try plants.foundInMemory()
        // An old kernel cannot hide memory from other processes. There, every search that is
        // permitted finds the secret.
        let isHidden = plants.hiddenByteCount > 0
        #expect(places.subtracting([.secret]) == [.heap, .stack, .mapping])
        #expect(places.contains(.secret) == !isHidden)
        #expect(extent.unreadableByteCount >= Int(plants.hiddenByteCount))
        _ = try plants.worker.stop()
    }

    @Test(.enabled(if: CoreDumpFile.isPlain), arguments: [0, 1])
    func `finds no secret in a core dump, only what is planted on the heap and on a stack`(
        hide: Int
    ) throws {
        let folder = try Scratch()
        let plants = try Plants(folder, "hide=\(hide)", "core=\(folder.folder)")
        let bytes = try CoreDumpFile.bytes(of: plants.worker, in: folder)
        #expect(plants.found(in: bytes) == [.heap, .stack])
    }

    @Test(arguments: StoreKind.encrypted)
    func `finds those of an open store, and none of a closed one, in memory that can be searched`(
        kind: StoreKind
    ) throws {
        let leaver = try Leaver(kind, "hide=0", "keep=1")
        #expect(leaver.said["hidden"] == 0)
        let open = try leaver.traces(leaver.memory)
        // The user's key and the master secret lie only in memory for secrets.
        #expect(open.keys == Set(StoreKeys.Name.allCases))
        #expect(open.scheduleCount > 0)
        let said = try leaver.close()
        // The worker still has its key, which closing a store does not touch.
        #expect(said["secrets"] == 1)
        let closed = try leaver.traces(try ProcessMemory(leaver.worker.child.number))
        #expect(closed.keys == [.user] && closed.scheduleCount == 0, "\(closed)")
        _ = try leaver.worker.kill()
    }

    @Test(.enabled(if: CoreDumpFile.isPlain), arguments: StoreKind.encrypted, [0, 1])
    func `finds only what libcrypto works with in a core dump of an open store`(
        kind: StoreKind, hide: Int
    ) throws {
        let folder = try Scratch()
        let leaver = try Leaver(kind, "keep=1", "hide=\(hide)", "core=\(folder.folder)")
        let bytes = try CoreDumpFile.bytes(of: leaver.worker, in: folder)
        #expect(leaver.keys.names(leaver.keys.search.found(in: bytes)) == [.data, .meta, .board])
        #expect(KeyTrace.scheduleCount(in: bytes) > 0)
    }

    @Test(.enabled(if: CoreDumpFile.isPlain), arguments: StoreKind.encrypted, [0, 1])
    func `finds nothing in a core dump of a closed store`(kind: StoreKind, hide: Int) throws {
        let folder = try Scratch()
        let leaver = try Leaver(kind, "keep=1", "hide=\(hide)", "core=\(folder.folder)")
        try leaver.close()
        let bytes = try CoreDumpFile.bytes(of: leaver.worker, in: folder)
        #expect(leaver.keys.search.found(in: bytes).isEmpty)
        #expect(KeyTrace.scheduleCount(in: bytes) == 0)
        #expect(bytes.count > 1 << 20)
    }
}
