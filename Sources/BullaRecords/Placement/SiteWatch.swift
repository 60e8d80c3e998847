internal import Synchronization

/// Waits for changes at several sites.
final class SiteWatch: Sendable {
    private let sites: [(name: String, site: any SiteBackend)]
    private let memory: HomeMemory
    /// Each site's count of changes when it last answered.
    private let counts: Mutex<[UInt64]>

    init(_ directory: SiteDirectory) {
        sites = directory.names.compactMap { name in
            directory.sites[name].map { (name, $0.impatient()) }
        }
        memory = directory.memory
        counts = Mutex(sites.map { _ in 0 })
    }

    /// Waits until a site has changed; see ``RecordBackend/waitForCommit(after:timeout:)``.
    func wait(after commit: UInt64, timeout: Duration) throws(RecordError) -> UInt64? {
        let deadline = ContinuousClock.now + timeout
        var backoff = Backoff(.milliseconds(10), upTo: .milliseconds(200))
        while true {
            let now = try look()
            guard now == commit else { return now }
            guard backoff.take(until: deadline) else { return nil }
        }
    }

    /// The sum of the sites' counts; a site that does not answer contributes the count that it gave
    /// last.
    private func look() throws(RecordError) -> UInt64 {
        var failure: RecordError?
        var answerCount = 0
        for (index, (name, site)) in sites.enumerated() where !memory.isSilent(name) {
            let former = counts.withLock { $0[index] }
            memory.beginAsking(name)
            do throws(RecordError) {
                if let count = try site.waitForCommit(after: former, timeout: .zero) {
                    counts.withLock { $0[index] = count }
                }
                memory.noteAnswer(of: name)
                answerCount += 1
            } catch {
                failure = error
                memory.noteSilence(of: name)
            }
        }
        if answerCount == 0, let failure { throw failure }
        return counts.withLock { $0.reduce(0, &+) }
    }
}
