/// A thread: its next step, and its private memory.
struct Actor: Hashable {
    enum Step: UInt8 {
        case idle, dead, refused
        // Opening.
        case join, makeWorld, readMetas, verify, writeAgain, rewriteMeta, flushRecovered
        case postRecovered
        // Reading.
        case enterGate, lookAtGate, look, claim, lookAgain, readRoot, readLeaf, lookAtSlot, unpin
        case unpinInside
        // Writing.
        case takeBase, askConfirmed, askSlots, writeRoot, writeLeaf, publish, releaseWriter
        // Waiting for a flush.
        case awaitDurable, lead, fallAsleep, asleep
        // Flushing.
        case finishInterrupted, beginFlush, writeMeta, flush, postDurable, raiseDurable, endFlush
        case releaseFlush, tell, goOn
        // Confirming and closing.
        case confirm, writeConfirmed, flushConfirmed, postConfirmed, leave
        case awaitInside, giveUp
    }

    let process: UInt8
    var step = Step.idle
    /// The index of the verb that it is executing, among those of its part.
    var verb: UInt8 = 0
    var isAfterwards = false
    /// The slot whose lock its process holds for it.
    var slot: UInt8?
    /// What it has written to that slot, not yet visible to other processors.
    var delayed: UInt8 = 0
    /// Whether it is inside the gate that a close shuts.
    var isInside = false
    /// The record that it reads, or is about to write.
    var record = Record()
    /// The previous record, to fall back to.
    var former = Record()
    /// The commit that it is making or waiting for.
    var image: UInt8 = 0
    var confirmed: UInt8 = 0
    /// How many times the flush lock had been released when it last looked.
    var turns: UInt8 = 0
    /// Its position in a scan of the slots, and what it has found there, as bits.
    var index: UInt8 = 0
    var snapshots: UInt32 = 0

    init(process: Int) { self.process = UInt8(process) }

    /// Whether it will do nothing more.
    func hasEnded(_ scene: Scene, _ index: Int) -> Bool {
        switch step {
        case .dead, .refused: true
        case .idle: scene.verb(self, index) == nil
        default: false
        }
    }

    /// Goes on to the next verb, and forgets the work of the last one.
    mutating func finishVerb() {
        step = .idle
        verb += 1
        forget()
    }

    mutating func forget() {
        record = Record()
        former = Record()
        image = 0
        confirmed = 0
        turns = 0
        index = 0
        snapshots = 0
        isInside = false
    }
}
