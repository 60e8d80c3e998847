import Bulla
import BullaObjects
import BullaObjectsWorker
import BullaProcessSupport
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A process that follows objects of others` {
    private static let commitCount = TestMode.pick(short: 400, long: 10_000)
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let store = try Store.open(at: scratch.path("ticks.bulla"), key: StoreKind.gcm.key())
        _ = try ObjectDatabase(store, models: [Tick.self])
        try store.close()
    }

    private func worker(_ arguments: String...) throws -> WorkerProcess {
        try WorkerProcess(
            program: "BullaObjectsWorker", arguments + ["path=\(scratch.path("ticks.bulla"))"],
            key: nil, errors: scratch.path("errors"))
    }

    /// Delays are reported but not judged, because measuring is not the purpose of a test.
    @Test func `sees each commit of two writers once, in order, however slow it is`() throws {
        let count = "count=\(Self.commitCount)"
        let idle = TestMode.pick(short: 0, long: 10)
        let watcher = try worker("watch", count, "idle=\(idle)")
        let slow = try worker("watch", count, "pause=50")
        let rest = try watcher.values()
        _ = try slow.values()
        let writers = try (0..<2).map { number in
            try worker("write", "writer=\(number)", "count=\(Self.commitCount / 2)")
        }
        for writer in writers { _ = try writer.values() }
        for writer in writers { writer.begin() }
        for writer in writers { try writer.stop() }
        let (told, late) = (try watcher.values(), try slow.values())
        try expectEnd(of: [watcher, slow])
        #expect(try #require(late["elements"]) <= #require(told["elements"]))
        TestMode.tell(
            "watching \(Self.commitCount) commits of two writers: \(told["elements"] ?? 0) "
                + "elements, a median of \((told["median"] ?? 0) / 1000) us after the object's "
                + "birth; "
                + "\((rest["idle"] ?? 0) / 1000) us of processor time in \(idle) idle seconds; "
                + "a slow reader got \(late["elements"] ?? 0) elements")
    }

    private func expectEnd(of workers: [WorkerProcess]) throws {
        for worker in workers {
            let end = try worker.child.wait(patience: TestMode.patience)
            let errors = String(decoding: try scratch.bytes("errors"), as: UTF8.self)
            #expect(end == .done, "\(errors)")
        }
    }
}
