import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("An epoch that begins between a head and a record")
struct EpochRaceTests {
    /// A backend shared with another core.
    private final class SharedRoom: BackendRoom {
        let backend: any RecordBackend
        init(_ backend: any RecordBackend) { self.backend = backend }
        func restart() {}
    }

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
}
