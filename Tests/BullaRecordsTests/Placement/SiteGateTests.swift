import BullaRecords
import Synchronization
import Testing

@Suite("The gate of a site")
struct SiteGateTests {
    private let clock: TestClock
    private let gate: SiteGate

    private final class TestClock: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { instant.withLock { $0 } }

        func pass(_ duration: Duration) {
            instant.withLock { $0 = $0.advanced(by: duration) }
        }
    }

    init() {
        let clock = TestClock()
        self.clock = clock
        let patience = SitePatience(
            callerLimit: 2, slowness: .seconds(2), silence: .seconds(10))
        gate = SiteGate(patience) { clock.now }
    }

    /// Begins `count` calls, and runs `body` while they are in progress.
    private func hold(
        _ count: Int, _ body: () throws(RecordError) -> Void
    ) throws(RecordError) {
        guard count > 0 else { return try body() }
        try gate.pass("west") { () throws(RecordError) in try hold(count - 1, body) }
    }

    /// Whether the gate refuses one more call, which would end at once.
    private var refuses: Bool {
        do throws(RecordError) {
            try hold(1) {}
            return false
        } catch { return error.code == .unavailable && error.retryAfter != nil }
    }

    @Test("lets only a few callers wait for a site that answers each call, but slowly")
    func slow() throws {
        try hold(2) { () throws(RecordError) in
            try hold(1) { clock.pass(.seconds(5)) }
            #expect(refuses)
        }
    }

    @Test("remembers that the last call was slow, until one is not")
    func memory() throws {
        try hold(2) { clock.pass(.seconds(5)) }
        try hold(2) { #expect(refuses) }
        // The last two calls have ended at once, so the site is no longer slow.
        try hold(9) { #expect(!refuses) }
    }

    @Test("opens for nobody because one call is answered, while others wait")
    func answer() throws {
        try hold(2) { () throws(RecordError) in
            clock.pass(.milliseconds(1_900))
            #expect(!refuses)
            clock.pass(.milliseconds(100))
            #expect(refuses)
        }
    }

    @Test("is open if only one call takes long")
    func long() throws {
        try hold(1) { () throws(RecordError) in
            clock.pass(.seconds(3_600))
            try hold(9) { #expect(!refuses) }
        }
    }

    @Test("lets one more caller find out now and then whether the site answers")
    func asking() throws {
        try hold(2) { () throws(RecordError) in
            clock.pass(.seconds(10))
            try hold(1) { () throws(RecordError) in
                #expect(refuses)
                clock.pass(.seconds(10))
                #expect(!refuses)
            }
        }
    }
}
