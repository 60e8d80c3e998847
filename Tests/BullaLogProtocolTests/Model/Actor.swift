/// A thread: its next step, and its private memory.
struct Actor: Hashable {
    enum Step: UInt8 {
        case idle, dead, refused
        // Opening.
        case makeWorld, readMetas, replay, judge, flushRecovered, postRecovered
        // Reading.
        case look, claim, lookAgain, askDurable, learn, follow, makeView, readTree
        // Committing.
        case catchUp, makeRoom, beginSegment, appendPart, append, zeroFailed, announce
        case releaseWriter, acknowledge
        // Flushing the log.
        case awaitDurable, lead, flushLog, postDurable
        case rewriteMark, flushNewestMark, writeMark, flushMark, releaseFlush
        // Making a tree, and its metas.
        case takeTree, inspect, chooseTree, writePage, flushPages
        case writeMeta, flushMeta, writeOtherMeta, flushOtherMeta, postCheckpoint, releaseTree
        case leave
    }

    let process: UInt8
    var step = Step.idle
    /// The index of the verb that it executes or will begin next, among the verbs of its part.
    var verb: UInt8 = 0
    var isAfterwards = false

    // What it has followed of the log.
    /// How far it has followed; `nil` before it has begun.
    var place: Place?
    /// The tree at whose place in the log it began.
    var origin: UInt8 = 0
    /// Where it expects the halves.
    var halves = Halves()
    /// The commits after which its two memtables begin: first the memtable of the older half, then
    /// that of the newer.
    var older: UInt8 = 0
    var newer: UInt8 = 0
    /// The tree of the newest root frame that it has passed.
    var root: UInt8?

    /// The newest commit for which it has itself written and flushed a mark.
    var marked: UInt8 = 0

    // What it is doing.
    /// What it has written to its slot, not yet visible to other processors.
    var delayed: UInt8 = 0
    /// The tree that it reads or makes.
    var tree: UInt8 = 0
    /// The commit up to which it follows, or for which it waits.
    var wanted: UInt8 = 0
    /// The durable commit when its read was requested.
    var asked: UInt8 = 0
    /// The frame that it writes or is about to flush.
    var frame: UInt8 = 0
    /// The last frame that its flush covers, and the half in which that frame lies.
    var leading: UInt8 = 0
    var leadingHalf: UInt8 = 0
    /// The meta slot that it writes first.
    var slot: UInt8 = 0
    /// The step that follows a flush, or the writing of the metas.
    var then = Step.idle

    init(process: Int) { self.process = UInt8(process) }

    /// Whether it will do nothing more.
    func hasEnded(_ scene: Scene, _ index: Int) -> Bool {
        switch step {
        case .dead, .refused: true
        case .idle: scene.verb(self, index) == nil
        default: false
        }
    }

    /// Goes on to the next verb, and keeps only what the actor has followed of the log.
    mutating func finishVerb() {
        step = .idle
        verb += 1
        forgetVerb()
    }

    mutating func forgetVerb() {
        delayed = 0
        tree = 0
        wanted = 0
        asked = 0
        frame = 0
        slot = 0
        leading = 0
        leadingHalf = 0
        then = .idle
    }

    mutating func forgetLog() {
        place = nil
        halves = Halves()
        origin = 0
        marked = 0
        older = 0
        newer = 0
        root = nil
    }

    /// Moves to another place of the log, and adjusts the memtables.
    mutating func move(to next: Place, passing entry: Entry, before: Entry) {
        // An actor that enters another half drops the memtable of the half before the last.
        if let place, next.use != place.use {
            older = newer
            newer = before.number
        }
        if entry.kind == .root { root = entry.tree }
        place = next
    }
}
