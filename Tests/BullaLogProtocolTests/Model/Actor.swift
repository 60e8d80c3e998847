/// A thread: what it will do next, and what it keeps in private memory.
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
    /// Which verb of its part it is at.
    var verb: UInt8 = 0
    var isAfterwards = false

    // What it has followed of the log.
    /// How far; `nil` before it has begun.
    var place: Place?
    /// The tree at whose place it has begun.
    var origin: UInt8 = 0
    /// Where it looks for the halves.
    var halves = Halves()
    /// The commits after which its two memtables begin: of the older half, and of the newer.
    var older: UInt8 = 0
    var newer: UInt8 = 0
    /// The tree of the newest root frame that it has passed.
    var root: UInt8?

    /// The newest commit that it has marked itself, and flushed.
    var marked: UInt8 = 0

    // What it is doing.
    /// What it has said in its slot, while no other processor sees it yet.
    var delayed: UInt8 = 0
    /// The tree that it stands on, or makes.
    var tree: UInt8 = 0
    /// The commit that it follows to, or waits for.
    var wanted: UInt8 = 0
    /// What was durable when it was asked to read.
    var asked: UInt8 = 0
    /// The frame that it writes, or is about to flush.
    var frame: UInt8 = 0
    /// The frame that its flush will have covered, and the half that it stands in.
    var leading: UInt8 = 0
    var leadingHalf: UInt8 = 0
    /// The meta slot that it writes first.
    var slot: UInt8 = 0
    /// What comes after a flush, or after the metas.
    var then = Step.idle

    init(process: Int) { self.process = UInt8(process) }

    /// Whether nothing more is to be expected of it.
    func hasEnded(_ scene: Scene, _ index: Int) -> Bool {
        switch step {
        case .dead, .refused: true
        case .idle: scene.verb(self, index) == nil
        default: false
        }
    }

    /// Goes on to the next verb; only what was followed of the log is kept.
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

    /// Goes to another place of the log, with what that means for the memtables.
    mutating func move(to next: Place, passing entry: Entry, before: Entry) {
        // Who enters another half drops the memtable of the half before the last.
        if let place, next.use != place.use {
            older = newer
            newer = before.number
        }
        if entry.kind == .root { root = entry.tree }
        place = next
    }
}
