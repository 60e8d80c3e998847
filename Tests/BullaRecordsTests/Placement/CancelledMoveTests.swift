import BullaRecords
import BullaRecordsSupport
import Synchronization
import Testing

@Suite("A move that is cancelled")
struct CancelledMoveTests {
    private let room: PlacedRoom
    private let sites: PlacedSites

    init() throws {
        room = try PlacedRoom(siteCount: 3)
        sites = room.sites
    }

    /// How far a mover has got when its move is cancelled.
    enum Cancellation: CaseIterable {
        /// The mover has read the map.
        case beforeRows
        /// The mover has also read the rows.
        case beforeNumber
    }

    @Test(
        "does not bring away what stays, although it takes a number after the cancellation",
        arguments: Cancellation.allCases, [false, true])
    func cancelled(when: Cancellation, hasStayed: Bool) throws {
        var bench = BackendBench(sites.placed, seed: 33)
        let zone = try bench.zone("zone", in: bench.database())
        let database = zone.database
        try bench.save("old", in: zone)
        if hasStayed {
            for name in ["site2", "site1"] { #expect(try sites.move(database, to: name)) }
        }
        let other = try room.gateway()
        let isCancelled = Atomic(false)
        let cancel = { @Sendable () throws(RecordError) in
            guard !isCancelled.exchange(true, ordering: .relaxed) else { return }
            try other.mover().cancel(database)
        }
        let hooks = room.hooks[1]
        let error = #expect(throws: RecordError.self) {
            _ = try sites.move(database, to: "site2") { step throws(RecordError) in
                switch (step, when) {
                case (.announce, .beforeRows):
                    hooks.fail { call throws(RecordError) in
                        guard call == "home" else { return }
                        hooks.fail { _ in }
                        try cancel()
                    }
                case (.take, .beforeNumber): try cancel()
                default: break
                }
            }
        }
        #expect(error?.code == .invalidArguments)
        let wasCancelled = isCancelled.load(ordering: .relaxed)
        #expect(wasCancelled)
        #expect(try sites.placed.home(of: database, at: "site1")?.state == .here)
        try sites.expectSettled(database, at: "site1")
        #expect(try bench.record("old", in: zone)?.bytes != nil)
    }
}
