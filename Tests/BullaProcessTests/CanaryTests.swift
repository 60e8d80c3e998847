import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

@Suite struct `Canaries` {
    private static let treeCount = 10
    private static let entriesPerTree = 20

    /// A store whose names, keys and values are canaries that this process has written.
    private struct Cage {
        let files: TestStore
        let store: Store
        let search: CanarySearch

        init(_ kind: StoreKind) throws {
            files = try TestStore(kind)
            store = try files.open()
            var random = SystemRandomNumberGenerator()
            let canaries = (0..<treeCount * (1 + 2 * entriesPerTree)).map { _ in
                (0..<4).flatMap { _ in random.next().bytes }
            }
            search = CanarySearch(canaries)
            var rest = canaries[...]
            try store.write { change in
                for _ in 0..<treeCount {
                    let tree = try change.openOrCreateTree(named: rest.removeFirst())
                    for _ in 0..<entriesPerTree {
                        try change.put(rest.removeFirst(), forKey: rest.removeFirst(), in: tree)
                    }
                }
            }
        }

        /// A worker that has just read everything, and waits.
        func walker(_ values: String...) throws -> WorkerProcess {
            let arguments = ["walk", "path=\(files.path)"] + values
            let worker = try WorkerProcess(
                arguments, key: StoreKind.keyBytes, errors: files.scratch.path("errors"))
            let read = try worker.values()
            #expect(read["entries"] == UInt64(treeCount * entriesPerTree))
            #expect(read["trees"] == UInt64(treeCount))
            worker.child.signal(ChildProcess.stop)
            worker.child.waitUntilStopped()
            return worker
        }
    }

    @Test(arguments: StoreKind.encrypted)
    func `are in no file`(kind: StoreKind) throws {
        let cage = try Cage(kind)
        let worker = try cage.walker()
        for name in [TestStore.name, TestStore.name + ".bulla-world", "errors"] {
            #expect(cage.search.found(in: try cage.files.scratch.bytes(name)).isEmpty, "\(name)")
        }
        let said = try worker.kill().joined(separator: "\n")
        #expect(cage.search.found(in: Array(said.utf8)).isEmpty)
        try cage.store.close()
        #expect(cage.search.found(in: try cage.files.scratch.bytes(TestStore.name)).isEmpty)
    }

    @Test(arguments: StoreKind.encrypted)
    func `are not in a core dump of a process that has just read them`(kind: StoreKind) throws {
        let cage = try Cage(kind)
        let worker = try cage.walker()
        let memory = try ProcessMemory(worker.child.number)
        #expect(try memory.canaries(cage.search, in: memory.mappings.filter { $0.isDumped }) == [])
    }

    @Test(arguments: StoreKind.encrypted)
    func `are found where they are, by the same search`(kind: StoreKind) throws {
        let cage = try Cage(kind)
        let worker = try cage.walker("plant=1")
        let memory = try ProcessMemory(worker.child.number)
        // A dump would hold the canary that the worker copied to its heap, and no other.
        let planted = try memory.canaries(cage.search, in: memory.mappings.filter { $0.isDumped })
        #expect(planted.count == 1)
        // All canaries are in frames, which a core dump would hold if advice did not exclude them.
        let all = try memory.canaries(cage.search, in: memory.mappings)
        #expect(all.count == cage.search.canaryCount)
    }

    @Test func `are found in each form that text gives them`() throws {
        let canary = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
        let search = CanarySearch([canary])
        let hexadecimal = canary.map { String(format: "%02x", $0) }.joined()
        var forms = [canary, Array(hexadecimal.utf8), Array(hexadecimal.uppercased().utf8)]
        for lead in 0..<3 {
            let data = Data([UInt8](repeating: 0, count: lead) + canary + [1, 2])
            forms.append(Array(data.base64EncodedString().utf8))
        }
        forms += [canary.flatMap { [$0, 0] as [UInt8] }, canary.flatMap { [0, $0] as [UInt8] }]
        for form in forms {
            #expect(search.found(in: [1, 2, 3] + form + [4]) == [0])
        }
        #expect(search.found(in: [UInt8](repeating: 0, count: 100)).isEmpty)
    }
}
