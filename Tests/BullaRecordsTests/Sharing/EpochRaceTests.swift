import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("An epoch that begins between a head and a record")
struct EpochRaceTests {
    @Test(
        "hides no record from a reader", arguments: [FaultyBackend.Call.records, .changes])
    func reading(call: FaultyBackend.Call) throws {
        let fixture = try CoreFixture()
        let (owner, token) = try fixture.shared(with: [2: .readOnly, 3: .readOnly])
        try fixture.accept(token, 2)
        try fixture.accept(token, 3)
        _ = try owner.save("a", ["s": .sealed(.string("before"))]).record
        let isDue = Atomic(true)
        let slow = FaultyBackend(
            SharedRoom(fixture.backend),
            before: { called in
                guard called == call, isDue.exchange(false, ordering: .relaxed) else { return }
                // Another process removes a participant, and saves under the next epoch.
                _ = try? owner.share(with: [2: .readOnly])
                _ = try? owner.save("a", ["s": .sealed(.string("after"))])
            }, plan: { _ in .none })
        let reader = try CoreFixture(sharing: fixture, backend: slow).view(2)
        let record =
            call == .records
            ? try reader.record("a")
            : try #require(
                try reader.changes(in: CoreFixture.zone).changed.first { $0.name == "a" }?.record
            ).get()
        #expect(try record.value(of: "s") == .string("after"))
        let hasRaced = !isDue.load(ordering: .relaxed)
        #expect(hasRaced)
        #expect(try fixture.head().0.epoch == 2)
    }

    /// A participant's view of a shared branch; `body` runs before its first call of the given
    /// kind.
    private func view(
        _ number: UInt8, _ fixture: CoreFixture, before call: FaultyBackend.Call,
        _ body: @escaping @Sendable () -> Void
    ) throws -> DatabaseView {
        let slow = FaultyBackend(
            SharedRoom(fixture.backend),
            before: { [once = Once()] called in if called == call, once.take() { body() } },
            plan: { _ in .none })
        return try CoreFixture(sharing: fixture, backend: slow).view(number)
    }

    @Test("has a participant's write made again under the share's next key")
    func writing() throws {
        let fixture = try CoreFixture()
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite, 3: .readWrite])
        try fixture.accept(token, 2)
        let writer = try view(2, fixture, before: .commit) {
            _ = try? owner.share("share", of: nil, with: [2: .readWrite])
        }
        #expect(try writer.put("b", "late").code == nil)
        #expect(try owner.record("b").opened.record.epoch == 3)
        #expect(try owner.record("b").value(of: "s") == .string("late"))
    }

    @Test("ends what a removed participant was writing")
    func removedWriter() throws {
        let fixture = try CoreFixture()
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        try fixture.accept(token, 2)
        let writer = try view(2, fixture, before: .commit) {
            _ = try? owner.share("share", of: nil, with: [:])
        }
        #expect(try refused { try writer.put("b", "late") }?.code == .zoneNotFound)
        #expect(try owner.record("b").value(of: "s") == .string("v-b"))
    }

    @Test("makes nothing of a branch that others move meanwhile")
    func movedMeanwhile() throws {
        let fixture = try CoreFixture()
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        try fixture.accept(token, 2)
        let writer = try view(2, fixture, before: .commit) {
            _ = try? owner.move("a", below: nil)
        }
        #expect(try writer.put("new", "x", below: "b").code == .referenceViolation)
        #expect(try !owner.has("new"))
        // The other way round: a record is added below one that is about to join the share.
        let slow = FaultyBackend(
            SharedRoom(fixture.backend),
            before: { [once = Once()] called in
                guard called == .commit, once.take() else { return }
                _ = try? owner.put("late", "x", below: "c")
            }, plan: { _ in .none })
        let mover = try CoreFixture(sharing: fixture, backend: slow).database(1)
        #expect(try mover.move("other", below: "root").code == nil)
        let other = try fixture.view(2)
        #expect(try other.readable(["other", "c", "late"]) == ["other", "c", "late"])
    }
}
