import BullaExploration

/// The whole state at one moment: file, coordination file, locks and processes.
struct State: ExploredState {
    // The disk.
    var pages: [DiskCell]
    var metas = [DiskCell(stamp: 0), DiskCell(stamp: 0)]
    var marks = [DiskCell(stamp: Entry.beginning), DiskCell(stamp: Entry.beginning)]
    /// Both halves, one after the other, then the stretch to which one of them can move.
    var log: [DiskCell]
    /// The meaning of each stamp.
    var entries = [Entry(kind: .nothing), Entry(kind: .beginning, number: 1)]
    var trees = [Tree()]

    // The coordination file.
    /// The commit up to which the log was announced: a hint.
    var announced: UInt8 = 1
    /// The frame of the durable record.
    var durable = Entry.beginning
    /// The tree in the checkpoint's record.
    var checkpoint: UInt8 = 0
    /// If halves can move: the slot that was flushed last, according to the record.
    var lastSlot: UInt8 = 0
    /// The slot that was written after `lastSlot` and has not been posted.
    var begunSlot: UInt8?
    /// Whether a flush of the log has begun and not ended.
    var isFlushing = false
    /// Whether a flush was interrupted and no writer has repaired that yet.
    var wasInterrupted = false
    /// The content of each thread's slot; 0: none.
    var slots: [UInt8]

    // The locks, each with the actor that has it.
    var writer: UInt8?
    var tree: UInt8?
    var flusher: UInt8?
    var presence: [Presence]
    /// The processes that are stopped and keep all their locks, as bits.
    var stopped: UInt8 = 0

    var actors: [Actor]

    // What may still go wrong.
    var deaths: UInt8
    var powerLosses: UInt8
    var stops: UInt8
    var failures: UInt8
    var scribbles: UInt8
    var damages: UInt8
    var slotDamages: UInt8
    /// How many more times a half may move.
    var moves: UInt8

    // What was promised, and what went wrong.
    /// How many times a process has opened the file alone.
    var world: UInt8 = 1
    /// The newest frame that this world has announced.
    var published = Entry.beginning
    /// The newest frame that was reported as durable.
    var promised = Entry.beginning
    /// The newest commit that a flushed mark names.
    var floor: UInt8 = 1
    var wasDamaged = false
    var fault: Fault?

    enum Presence: UInt8 { case none, shared, exclusive }

    init(_ scene: Scene) {
        // Each stretch that is not a half of the log has room for a page.
        let pageCount = scene.movesHalves ? 4 + scene.stretchCount : 4
        pages = (0..<pageCount).map { _ in DiskCell(stamp: DiskCell.garbage) }
        pages[0] = DiskCell(stamp: 0)
        log = Array(
            repeating: DiskCell(stamp: Entry.nothing), count: scene.stretchCount * scene.cellCount)
        slots = Array(repeating: 0, count: scene.parts.count)
        presence = Array(
            repeating: scene.beginsClosed ? .none : .shared, count: scene.processCount)
        actors = scene.parts.map { Actor(process: $0.process) }
        deaths = UInt8(scene.deaths)
        powerLosses = UInt8(scene.powerLosses)
        stops = UInt8(scene.stops)
        failures = UInt8(scene.failures)
        scribbles = UInt8(scene.scribbles)
        damages = UInt8(scene.damages)
        slotDamages = UInt8(scene.slotDamages)
        moves = UInt8(scene.moves)
    }

    func entry(_ stamp: UInt8) -> Entry { entries[Int(stamp)] }
    func number(_ stamp: UInt8) -> UInt8 { entry(stamp).number }
    func tree(_ number: UInt8) -> Tree { trees[Int(number)] }

    /// The commit up to which a tree is complete.
    func commit(ofTree number: UInt8) -> UInt8 { self.number(tree(number).commit) }

    func isStopped(_ process: UInt8) -> Bool { stopped & 1 << process != 0 }

    /// Whether the process that holds a lock is stopped.
    func isStopped(holder: UInt8?) -> Bool {
        holder.map { isStopped(actors[Int($0)].process) } ?? false
    }

    /// The stamp of an entry; equal entries have the same stamp.
    mutating func stamp(of entry: Entry) -> UInt8 {
        if let known = entries.firstIndex(of: entry) { return UInt8(known) }
        precondition(entries.count < DiskCell.garbage, "there are stamps enough")
        entries.append(entry)
        return UInt8(entries.count - 1)
    }

    mutating func add(_ tree: Tree) -> UInt8 {
        precondition(trees.count < DiskCell.garbage, "there are stamps enough")
        trees.append(tree)
        return UInt8(trees.count - 1)
    }

    /// Whether two frames are the same, or the first comes after the other in one chain.
    func descends(_ stamp: UInt8, from other: UInt8) -> Bool {
        var stamp = stamp
        while stamp > other { stamp = entry(stamp).before }
        return stamp == other
    }

    mutating func flushTree() {
        for index in pages.indices { pages[index].flush() }
        for index in metas.indices { metas[index].flush() }
    }

    mutating func flushLog() {
        for index in log.indices { log[index].flush() }
    }

    mutating func flushMarks() {
        for index in marks.indices { marks[index].flush() }
    }

    /// Reports a commit as durable, which can never be taken back.
    mutating func promise(_ stamp: UInt8) {
        if !descends(stamp, from: promised) { fault = .promiseBroken }
        promised = stamp
    }
}
