import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `A process with little` {
    private static let withoutPrivileges = [
        "/usr/bin/env", "setpriv", "--bounding-set=-ipc_lock,-dac_override,-dac_read_search",
    ]
    private let records = Records(count: 20_000)

    /// A store with records, and their digest.
    private func filled() throws -> (files: TestStore, whole: UInt64) {
        let files = try TestStore(.gcm)
        let store = try files.open()
        try records.write(to: store, version: 0, durability: .full)
        let whole = try store.read { try $0.digestOfAll() }
        try store.close()
        return (files, whole)
    }

    @Test(arguments: [600 << 20, 1200 << 20, 2500 << 20, 6000 << 20])
    func `30. address space works, or is refused and harms nothing`(byteCount: Int) throws {
        let (files, whole) = try filled()
        let worker = try files.worker(
            "obey", ["cache=4"], launcher: ["/usr/bin/env", "prlimit", "--as=\(byteCount)"])
        _ = try worker.values()
        if try worker.refusal(.open) == nil {
            do { #expect(try worker.ask(.read) == whole) } catch is WorkerRefusal {}
            _ = try worker.refusal(.write)
            _ = try worker.refusal(.close)
        }
        _ = try worker.stop()
        let store = try files.open()
        #expect(
            try store.read { try $0.digest(of: Records.tree) } == records.digest(version: 0))
        try files.expectSound(store)
    }

    @Test(arguments: [1000 << 20, 1200 << 20])
    func `30. address space for a whole window reads and writes by parts of it`(
        byteCount: Int
    ) throws {
        let (files, whole) = try filled()
        let worker = try files.worker(
            "obey", ["cache=256"], launcher: ["/usr/bin/env", "prlimit", "--as=\(byteCount)"])
        _ = try worker.values()
        try worker.ask(.open)
        #expect(try worker.ask(.read) == whole)
        #expect(try worker.ask(.write) == 1)
        try worker.ask(.close)
        _ = try worker.stop()
        try files.expectSound(try files.open())
    }

    @Test(.enabled(if: Privilege.isSetprivAllowed, "changing privileges is not permitted"))
    func `30. memory to lock is refused as that, and leaves the file alone`() throws {
        let (files, _) = try filled()
        let bytes = try files.scratch.bytes(TestStore.name)
        let worker = try files.worker(
            "obey", ["cache=4"],
            launcher: Self.withoutPrivileges + ["prlimit", "--memlock=0"])
        // The worker ends while it takes its key, before it has opened anything.
        #expect(try worker.values().isEmpty)
        let end = try worker.child.wait(patience: TestMode.patience)
        #expect(end == .exited(WorkerExit.storeFailed.rawValue))
        let errors = String(decoding: try files.scratch.bytes("errors"), as: UTF8.self)
        #expect(errors.contains("cannot be locked: the limit is 0 bytes (RLIMIT_MEMLOCK)"))
        #expect(try files.scratch.bytes(TestStore.name) == bytes)
    }

    @Test(
        .enabled(if: Privilege.isSetprivAllowed, "changing privileges is not permitted"),
        arguments: [("0", "lock=0"), ("16384", "lock=1")])
    func `30. memory to lock works where the best effort will do, and where it is enough`(
        limit: String, lock: String
    ) throws {
        let (files, whole) = try filled()
        let worker = try files.worker(
            "obey", ["cache=4", lock],
            launcher: Self.withoutPrivileges + ["prlimit", "--memlock=\(limit)"])
        _ = try worker.values()
        #expect(try worker.refusal(.open) == nil)
        #expect(try worker.ask(.read) == whole)
        #expect(try worker.ask(.write) == 1)
        _ = try worker.stop()
    }

    @Test(.enabled(if: Privilege.isSetprivAllowed, "changing privileges is not permitted"))
    func `30. right to a file is refused by opening, but for reading, and leaves the file alone`()
        throws
    {
        let (files, whole) = try filled()
        let bytes = try files.scratch.bytes(TestStore.name)
        try files.scratch.setMode(0o400, of: TestStore.name)
        let worker = try files.worker("obey", [], launcher: Self.withoutPrivileges)
        _ = try worker.values()
        #expect(try worker.refusal(.open) == .io)
        _ = try worker.stop()
        for access in [StoreOptions.Access.readOnly, .immutable] {
            let reader = try files.worker(
                "obey", ["access=\(access.rawValue)"], launcher: Self.withoutPrivileges)
            _ = try reader.values()
            try reader.ask(.open)
            #expect(try reader.ask(.read) == whole)
            #expect(try reader.refusal(.write) == .readOnly)
            try reader.ask(.close)
            _ = try reader.stop()
        }
        #expect(try files.scratch.bytes(TestStore.name) == bytes)
        try files.scratch.setMode(0o600, of: TestStore.name)
        try files.expectSound(try files.open())
    }
}
