internal import Bulla
internal import Synchronization

/// Waits for changes at several sites.
final class SiteWatch: Sendable {
    private let sites: [any SiteBackend]
    /// The result of the last look at each site.
    private let counts: Mutex<[UInt64]>

    private static let longestPause: Duration = .milliseconds(200)

    init(_ sites: [any SiteBackend]) {
        self.sites = sites
        counts = Mutex(sites.map { _ in 0 })
    }

    /// Waits until a site has changed; see ``RecordBackend/waitForCommit(after:timeout:)``.
    func wait(after commit: UInt64, timeout: Duration) throws(RecordError) -> UInt64? {
        let deadline = ContinuousClock.now + timeout
        var pause: Duration = .milliseconds(10)
        while true {
            let now = try look()
            guard now == commit else { return now }
            let left = deadline - .now
            guard left > .zero else { return nil }
            Pause.sleep(for: min(pause, left))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// The sum of the sites' counts.
    private func look() throws(RecordError) -> UInt64 {
        for (index, site) in sites.enumerated() {
            let former = counts.withLock { $0[index] }
            if let count = try site.waitForCommit(after: former, timeout: .zero) {
                counts.withLock { $0[index] = count }
            }
        }
        return counts.withLock { $0.reduce(0, &+) }
    }
}
