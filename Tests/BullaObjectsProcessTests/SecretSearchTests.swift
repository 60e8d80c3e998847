import BullaObjectsWorker
import BullaProcessSupport
import BullaTestSupport
import Testing

@Suite struct `Secrets of objects` {
    @Test(arguments: [0, 1])
    func `are nowhere in a process's memory once what they were lent to has ended`(
        plant: Int
    ) throws {
        let scratch = try Scratch()
        let seed = Int.random(in: 1..<1 << 40)
        let search = CanarySearch(SecretCanary.allCases.map { $0.canary(seed).bytes })
        let worker = try WorkerProcess(
            program: "BullaObjectsWorker",
            ["secret", "path=\(scratch.path("s.bulla"))", "seed=\(seed)", "plant=\(plant)"],
            key: nil, errors: scratch.path("errors"))
        _ = try worker.values()
        let memory = try ProcessMemory(worker.child.number)
        var found: Set<Int> = []
        let extent = try memory.forEachPart(of: memory.mappings) {
            found.formUnion(search.found(in: $0))
        }
        #expect(extent.byteCount > 1 << 20)
        // The same search must find a planted secret.
        #expect(found == (plant == 1 ? [SecretCanary.changed.rawValue] : []))
        _ = try worker.stop()
        #expect(search.found(in: try scratch.bytes("s.bulla")).isEmpty)
    }
}
