import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `A file cut short while processes have it open` {
    private static let workerCount = 4
    /// More records than fit into a worker's cache, so that it must read the file again.
    private let records = Records(count: 30_000)

    @Test(arguments: [StoreKind.gcm, .plain])
    func `11. is an error in each of them, until it is opened again`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let store = try files.open()
        try records.write(to: store, version: 0, durability: .full)
        let whole = try store.read { try $0.digestOfAll() }
        try store.close()
        let bytes = try files.scratch.bytes(TestStore.name)

        let workers = try (0..<Self.workerCount).map { _ in try files.obedient("cache=1") }
        for worker in workers {
            try worker.ask(.open)
            #expect(try worker.ask(.read) == whole)
        }
        try files.scratch.truncate(TestStore.name, to: bytes.count / 2)
        try expectErrors(workers)
        // Restoring only the length does not help, and neither does restoring all bytes.
        try files.scratch.truncate(TestStore.name, to: bytes.count)
        try expectErrors(workers)
        try files.scratch.overwrite(TestStore.name, with: bytes)
        try expectErrors(workers)

        for worker in workers { _ = try worker.refusal(.close) }
        for worker in workers {
            try worker.ask(.open)
            #expect(try worker.ask(.read) == whole)
            _ = try worker.stop()
        }
        try files.expectSound(try files.open())
    }

    private func expectErrors(_ workers: [WorkerProcess]) throws {
        for worker in workers {
            let read = try worker.refusal(.read)
            #expect(read == .corrupted || read == .io, "\(String(describing: read))")
            #expect(try worker.refusal(.write) != nil)
        }
    }

    @Test func `11. is an error where it is the coordination file`() throws {
        let files = try TestStore(.gcm)
        let workers = try (0..<2).map { _ in try files.obedient() }
        try files.open().close()
        for worker in workers { try worker.ask(.open) }
        let name = TestStore.name + ".bulla-world"
        let byteCount = try files.scratch.byteCount(name)
        try files.scratch.truncate(name, to: 0)
        for worker in workers { #expect(try worker.refusal(.write) != nil) }
        try files.scratch.truncate(name, to: byteCount)
        for worker in workers { #expect(try worker.refusal(.write) != nil) }
        for worker in workers { _ = try worker.kill() }
        try files.expectSound(try files.open())
    }
}
