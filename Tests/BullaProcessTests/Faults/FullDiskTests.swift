import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

@Suite struct `A disk without room` {
    private static let filler = "filler"
    private static let world = TestStore.name + ".bulla-world"
    private let records = Records(count: 500)

    @Test(
        .enabled(if: Privilege.mounts, "mounting is not permitted"),
        arguments: [StoreKind.gcm, .plain])
    func `7. is an error that costs nothing, and no longer one when there is room`(
        kind: StoreKind
    ) throws {
        let files = try TestStore(kind)
        let disk = try SmallDisk(files.scratch, byteCount: 16 << 20)
        let store = try files.open()
        try records.write(to: store, version: 0, durability: .full)
        try files.scratch.write([UInt8](repeating: 1, count: 4 << 20), to: Self.filler)
        // First commit short values, and then values of many pages, for which the file grows
        // differently.
        for byteCount in [3000, 3_000_000] {
            #expect(try fill(store, byteCount) == .full)
            #expect(
                try store.read { try $0.digest(of: Records.tree) } == records.digest(version: 0))
            try files.expectSound(store)
        }
        try disk.free(Self.filler)
        try store.write {
            try $0.put("room", forKey: "after", in: try $0.openOrCreateTree(named: "filling"))
        }
        try records.write(to: store, version: 1, durability: .full)
        try files.expectSound(store)
        try store.close()
        try files.expectSound(try files.open())
        try disk.remove()
    }

    /// Commits values of this length until the store refuses one, and returns the error's code.
    private func fill(_ store: Store, _ byteCount: Int) throws -> BullaError.Code? {
        var random = TestRandom(seed: byteCount)
        for _ in 0..<20_000 {
            let (key, value) = (random.next().bytes, random.uniqueBytes(byteCount))
            let code = refusal {
                try store.write(durability: Records.relaxed) { change in
                    try change.put(
                        value, forKey: key, in: try change.openOrCreateTree(named: "filling"))
                }
            }
            if let code { return code }
        }
        return nil
    }

    @Test(.enabled(if: Privilege.mounts, "mounting is not permitted"))
    func `7. keeps nobody out, and is an error of snapshots for the coordination file`() throws {
        let files = try TestStore(.gcm)
        let disk = try SmallDisk(files.scratch, byteCount: 4 << 20)
        let first = try files.open()
        try records.write(to: first, version: 0, durability: .full)
        try first.close()
        try disk.fill(Self.filler)
        try expectUsable(files)
        try disk.free(Self.filler)

        let store = try files.open()
        try disk.fill(Self.filler)
        #expect(try snapshots(store, 1000) == .full)
        #expect(try store.read { try $0.digestOfAll() } != 0)
        try disk.free(Self.filler)
        #expect(try snapshots(store, 1000) == nil)
        try files.expectSound(store)
        try store.close()
        try disk.remove()
    }

    /// Expects that readers and deleters can open the store, though there is no room for a
    /// coordination file.
    private func expectUsable(_ files: TestStore) throws {
        let reader = try files.open { $0.access = .readOnly }
        #expect(try reader.info.sharing == .readers)
        #expect(try reader.read { try $0.digest(of: Records.tree) } == records.digest(version: 0))
        try reader.close()
        let alone = try files.open()
        #expect(try alone.info.sharing == .nobody)
        #expect(refusal { _ = try files.open { $0.lockTimeout = .zero } } == .busy)
        _ = try alone.write { change in
            try change.deleteIfPresent("not there", in: try change.tree(named: Records.tree))
        }
        try alone.close()
        #expect(!files.scratch.exists(Self.world))
        #expect(!files.scratch.exists(Self.world + ".new"))
    }

    /// Holds this many snapshots at once, and returns the code of the error if one is refused.
    private func snapshots(_ store: Store, _ count: Int) throws -> BullaError.Code? {
        guard count > 0 else { return nil }
        do {
            let snapshot = try store.makeSnapshot()
            let code = try snapshots(store, count - 1)
            #expect(snapshot.commit > 0)
            return code
        } catch let error as BullaError { return error.code }
    }

    @Test func `30. is what a limit of the file's size comes to, and no signal`() throws {
        let files = try TestStore(.gcm)
        try files.open().close()
        let worker = try files.worker(
            "obey", [],
            launcher: ["/usr/bin/env", "prlimit", "--fsize=2000000:unlimited"])
        _ = try worker.values()
        try worker.ask(.open)
        var codes: Set<BullaError.Code> = []
        while codes.isEmpty { if let code = try worker.refusal(.fill) { codes.insert(code) } }
        #expect(codes == [.full])
        let whole = try worker.ask(.read)
        try Privilege.run(["prlimit", "--pid", "\(worker.child.number)", "--fsize=unlimited"])
        try worker.ask(.fill)
        #expect(try worker.ask(.read) != whole)
        try worker.ask(.close)
        _ = try worker.stop()
        try files.expectSound(try files.open())
    }
}
