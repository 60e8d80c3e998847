import Bulla
import BullaSimulation
import BullaTestSupport

/// A process dies during a checkpoint while another has the store open and goes on.
enum DyingCheckpoint: Sendable {
    /// Checkpoints follow one another, so that pages are reused.
    case ofPages
    /// The checkpoint frees the pages of large values, and later commits need as many.
    case ofValues
    /// Commits fill the halves of the log, one after the other.
    case ofHalves

    static let configurations = [CipherSuite.aes256GCM, nil].map { suite in
        var one = Configuration(suite: suite, pageByteCount: 4096)
        one.growsLog = false
        return one
    }

    /// Cuts the power wherever it can, beginning with the checkpoint in which the process dies.
    ///
    /// - Returns: how many images were opened; `nil` if the fault did not occur.
    func explore(
        _ fault: DiskFault, _ configuration: Configuration, seed: UInt64, _ plan: Explorer.Plan
    ) throws -> Int? {
        var session = Session(configuration, try SimulatedDisk(), seed: seed)
        defer { session.end() }
        var firstEvent: Int?
        try session.traced { session in
            for _ in 0..<2 { try session.open() }
            try prepare(&session)
            let eventCount = session.disk.eventCount
            session.note("die in a checkpoint")
            session.disk.add(fault)
            do { try die(&session) } catch is BullaError {}
            session.disk.clearFaults()
            // The one that died may be the other process, in a checkpoint of its own.
            guard let dead = session.opened.firstIndex(where: { $0.process.isDead }) else { return }
            firstEvent = eventCount
            try session.mourn(dead)
            try goOn(&session)
        }
        guard let firstEvent else { return nil }
        var explorer = Explorer(configuration, seed: seed)
        try explorer.explore(session, plan, lastEvents: session.disk.eventCount - firstEvent)
        return explorer.imageCount
    }

    /// Makes the commits and checkpoints that precede the checkpoint in which the process dies.
    private func prepare(_ session: inout Session) throws {
        if self == .ofValues {
            for _ in 0..<3 { try session.putLarge(pageCount: 50, .full) }
        }
        for _ in 0..<2 {
            for _ in 0..<3 { try session.transaction(0, .full) }
            try session.checkpoint(1)
        }
        for _ in 0..<3 { try session.transaction(1, .full) }
    }

    private func die(_ session: inout Session) throws {
        switch self {
        case .ofPages: break
        case .ofValues: try session.shortenLarge()
        case .ofHalves: try fillHalf(&session)
        }
        _ = try session.opened[0].store.checkpoint()
    }

    private func goOn(_ session: inout Session) throws {
        for _ in 0..<2 {
            // A commit leaves some pages for the next one to take first. This value needs more
            // pages than that.
            if self == .ofValues { try session.putLarge(pageCount: 70, .full) }
            if self == .ofHalves { try fillHalf(&session) }
            for _ in 0..<3 { try session.transaction(0, .full) }
            if self != .ofHalves { try session.checkpoint(0) }
        }
    }

    /// Commits as much as one half of the log can hold.
    private func fillHalf(_ session: inout Session) throws {
        let pageCount = session.configuration.halfPageCount
        for _ in 0..<pageCount / 2 { try session.putLarge(pageCount: 2, .full) }
    }
}
