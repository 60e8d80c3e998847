import Bulla
import BullaSimulation
import BullaTestSupport

/// Crashes a session's disk wherever it can, and opens what is left.
struct Explorer {
    let configuration: Configuration
    private var random: TestRandom
    /// How many images were opened.
    private(set) var imageCount = 0
    private(set) var nonces: NonceAudit

    init(_ configuration: Configuration, seed: UInt64) {
        self.configuration = configuration
        random = TestRandom(seed: seed)
        nonces = NonceAudit(pageByteCount: configuration.pageByteCount)
    }

    /// The greatest number of unflushed writes for which every subset of the writes is tried.
    private static let subsetLimit = TestMode.pick(short: 3, long: 4)

    /// How much to explore.
    struct Plan {
        /// The greatest number of moments at which the disk is crashed.
        var cutLimit: Int
        /// How many random images are made at each moment.
        var sampleCount: Int
        /// How many times in succession a recovered disk is crashed again.
        var depth = 0
        /// One image in this many is crashed again.
        var crashAgainOneIn = 8
        /// Whether images of a power cut are also opened with one meta slot lost, once for each
        /// slot.
        var losesSlots = false
    }

    /// - Parameters:
    ///   - lastEvents: how many events before the end of the history the crashes begin.
    mutating func explore(
        _ session: Session, _ plan: Plan, lastEvents: Int = .max
    ) throws {
        try audit(session)
        let history = session.disk.history
        let first = session.disk.base.cached.count
        var replay = DiskReplay(from: session.disk.base)
        var cutsLeft = plan.cutLimit
        for cut in first...history.count {
            if cut > first { replay.apply(history[cut - 1]) }
            let eventsLeft = history.count + 1 - cut
            guard eventsLeft <= lastEvents, random.below(eventsLeft) < cutsLeft else { continue }
            cutsLeft -= 1
            let allowed = session.timeline.allowed(at: cut)
            for choice in choices(replay, plan) {
                try Finding.within("cut \(cut) of \(history.count), \(choice)") {
                    let image = replay.crashed(choice)
                    try visit(image, allowed, plan)
                    if plan.losesSlots { try visitWithoutSlots(image, allowed, plan) }
                }
            }
        }
    }

    /// Checks everything that was written, whatever became of it.
    mutating func audit(_ session: Session) throws {
        let offence = GrowthAudit.offences(session.disk).first
        try demand(offence == nil, "before its length was durable: \(offence as Any)")
        guard configuration.suite != nil else { return }
        nonces.add(session.disk)
        try demand(nonces.repetitionCount == 0, "two pages were sealed under one nonce")
    }

    private mutating func choices(_ replay: DiskReplay, _ plan: Plan) -> [CrashChoice] {
        let count = replay.pendingWriteCount
        var choices: [CrashChoice] = [.processDeath, .nothing]
        guard count > 0 else { return choices + [.sample(random.next())] }
        if count <= Self.subsetLimit {
            choices += (1..<UInt64(1) << UInt64(count)).map { .subset($0) }
        } else {
            choices += [.everything, .metaOnly, .pagesOnly]
        }
        return choices + (0..<plan.sampleCount).map { _ in .sample(random.next()) }
    }

    /// Opens what a crash has left, with one meta slot lost, once for each slot.
    private mutating func visitWithoutSlots(
        _ image: DiskImage, _ allowed: Timeline.Allowed, _ plan: Plan
    ) throws {
        // If the page cache survived, its copy of a slot counts, whatever is lost on the disk.
        guard image.cached.isEmpty, !image.store.isEmpty else { return }
        for slot in 0..<MetaPage.slotCount {
            let loss = random.pick(SlotLoss.allCases)
            var image = image
            image.lose(slot: slot, loss, &random)
            try Finding.within("slot \(slot) \(loss)") { try visit(image, allowed, plan) }
        }
    }

    /// Opens what a crash has left, and goes on from there.
    private mutating func visit(
        _ image: DiskImage, _ allowed: Timeline.Allowed, _ plan: Plan
    ) throws {
        imageCount += 1
        let disk = try SimulatedDisk(image)
        guard disk.isThere(Configuration.path) else {
            return try demand(allowed.isMissingAllowed, "the store's name is gone")
        }
        var session = Session(configuration, disk, allowed, seed: random.next())
        defer { session.end() }
        do {
            try session.open()
            if random.isOne(in: 4) { try session.work(steps: 3) }
            if random.isOne(in: 2) { session.killAll() }
            try session.reopen()
        } catch {
            var finding = error as? Finding ?? Finding("\(error)")
            finding.trace = session.trace
            throw finding
        }
        guard plan.depth > 0, random.isOne(in: plan.crashAgainOneIn) else {
            return try audit(session)
        }
        var deeper = plan
        deeper.depth -= 1
        deeper.sampleCount = min(plan.sampleCount, 1)
        deeper.cutLimit = 4
        // Recovery rewrites the lost slot; before that, a second loss would be one too many.
        deeper.losesSlots = false
        try explore(session, deeper)
    }
}
