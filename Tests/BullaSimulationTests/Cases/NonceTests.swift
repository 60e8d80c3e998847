import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `A nonce` {
    @Test("22. Crashes, copies and restored images never make two pages share a nonce")
    func unique() throws {
        let origin = try ClosedStore(.usual, seed: 5)
        var audit = NonceAudit(pageByteCount: 4096)
        // Each image is a copy of the same file, in which the same commit is tried again: crashes,
        // copied files and restored machines all lead to this.
        for _ in 0..<TestMode.pick(short: 20, long: 10_000) {
            var session = Session(
                .usual, try SimulatedDisk(origin.image),
                Timeline.Allowed(isMissingAllowed: false, versions: [origin.version]), seed: 9)
            defer { session.end() }
            try session.open()
            for _ in 0..<4 {
                try session.transaction(0, .full)
                try session.opened[0].store.takeOverLog()
            }
            audit.add(session.disk)
        }
        #expect(audit.repetitionCount == 0)
        #expect(audit.pageCount > 100 && audit.nonceCount == audit.pageCount)
    }
}
