import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

@Suite struct `A store whose files are deleted or replaced` {
    private let files: TestStore
    private let store: Store
    private static let world = TestStore.name + ".bulla-world"

    init() throws {
        files = try TestStore(.gcm)
        store = try files.open()
        try Bump.write(to: store)
    }

    private func open(_ name: String = TestStore.name) throws -> Store {
        var options = StoreOptions()
        options.creation = .never
        return try Store.open(at: files.scratch.path(name), key: files.key(), options: options)
    }

    /// Expects that the store that was open before still reads, but commits nothing any more.
    private func expectLeftBehind() throws {
        for _ in 0..<2 {
            #expect(refusal { try Bump.write(to: store) } == .replaced)
        }
        #expect(try store.read { try $0.count(of: try $0.tree(named: Bump.tree)) } == 1)
    }

    @Test func `28. commits nothing to a file that was deleted, nor to the one made anew`() throws {
        try files.scratch.remove(TestStore.name)
        try expectLeftBehind()
        let second = try files.open()
        #expect(try Bump.write(to: second) == 1)
        try expectLeftBehind()
        try? store.close()
        #expect(try Bump.write(to: second) == 2)
        let third = try open()
        #expect(try Bump.write(to: third) == 3)
        try files.expectSound(second)
    }

    @Test func `28. shares nothing with a copy that took its place`() throws {
        try files.scratch.copy(TestStore.name, to: "copy")
        let locks = try LockProbe(files.path)
        try files.scratch.move("copy", to: TestStore.name)
        #expect(try locks.isHeld(LockByte.presence))
        let second = try open()
        #expect(try Bump.write(to: second) == 2)
        try expectLeftBehind()
        try? store.close()
        #expect(try Bump.write(to: second) == 3)
        try files.expectSound(second)
    }

    @Test(arguments: ["deleted", "replaced by zeros", "replaced by another's", "a folder"])
    func `28. has no second world while its coordination file is not there`(
        how: String
    ) async throws {
        try files.scratch.remove(Self.world)
        if how == "replaced by zeros" {
            try files.scratch.write([UInt8](repeating: 0, count: 1 << 16), to: Self.world)
        }
        if how == "replaced by another's" {
            let other = try TestStore(.gcm)
            let stranger = try other.open()
            try files.scratch.write(try other.scratch.bytes(Self.world), to: Self.world)
            try await stranger.close()
        }
        if how == "a folder" {
            try FileManager.default.createDirectory(
                atPath: files.scratch.path(Self.world), withIntermediateDirectories: false)
        }
        #expect(try await files.openingRefusal() != nil)
        try expectLeftBehind()
        #expect(throws: Never.self) { try store.close() }
        if how == "a folder" { try files.scratch.remove(Self.world) }
        let second = try open()
        #expect(try Bump.write(to: second) == 2)
        try files.expectSound(second)
    }

    @Test func `28. is another store where both files were copied, with a world of its own`() throws
    {
        try files.scratch.copy(TestStore.name, to: "copy.bulla")
        try files.scratch.copy(Self.world, to: "copy.bulla.bulla-world")
        let copy = try open("copy.bulla")
        #expect(try Bump.write(to: copy) == 2)
        #expect(try Bump.write(to: copy) == 3)
        #expect(try Bump.write(to: store) == 2)
        try files.expectSound(copy)
        try files.expectSound(store)
    }

    @Test func `28. is opened anew over what a killed process or another boot left`() throws {
        try store.close()
        let worker = try files.obedient()
        try worker.ask(.open)
        #expect(try worker.ask(.write) == 2)
        _ = try worker.kill()
        // Write the identifier of another boot of the machine into the coordination file.
        try files.scratch.overwrite(Self.world, with: Array(repeating: 9, count: 16), at: 48)
        let second = try open()
        #expect(try Bump.write(to: second) == 3)
        try files.expectSound(second)
    }

    @Test func `28. is not joined with the coordination file of another boot`() async throws {
        try files.scratch.overwrite(Self.world, with: Array(repeating: 9, count: 16), at: 48)
        #expect(try await files.openingRefusal() == .busy)
        #expect(try Bump.write(to: store) == 2)
    }

    @Test func `28. is not opened through a hard link in another folder`() async throws {
        let folder = files.scratch.path("elsewhere")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.linkItem(atPath: files.path, toPath: folder + "/store.bulla")
        #expect(try await files.openingRefusal("elsewhere/store.bulla") == .busy)
        #expect(try Bump.write(to: store) == 2)
        try await store.close()
        let second = try open("elsewhere/store.bulla")
        #expect(try Bump.write(to: second) == 3)
        #expect(try await files.openingRefusal() == .busy)
    }

    @Test func `30. is refused with a coordination file of another layout`() async throws {
        let version = try files.scratch.bytes(Self.world)[8]
        try files.scratch.overwrite(Self.world, with: [version + 1], at: 8)
        #expect(try await files.openingRefusal() == .unsupportedFormat)
        try files.scratch.overwrite(Self.world, with: [version], at: 8)
        let second = try open()
        #expect(try Bump.write(to: second) == 2)
    }
}
