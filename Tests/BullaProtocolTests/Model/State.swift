import BullaExploration

/// The whole state at one moment: file, coordination file, locks and processes.
struct State: ExploredState {
    // The disk.
    var pages: [DiskCell]
    var metas: [MetaCell]
    /// What each stamp means: a stamp is the index of an image in this list.
    var images: [Image] = [.first]

    // The coordination file.
    /// The newest published commit, as the number of its image.
    var published: UInt8 = 0
    var durable = Record()
    /// The newest durable record that is whole in its cell; the durable number may not have reached
    /// it yet.
    var posted = Record()
    var isFlushing = false
    /// How many releases of the flush lock have been reported to waiters.
    var turns: UInt8 = 0
    /// The commit that each reader slot names; 0: none.
    var slots: [UInt8]

    // The locks.
    /// The process that holds each slot.
    var slotOwners: [UInt8?]
    var writer: UInt8?
    var flusher: UInt8?
    var presence: [Presence]
    /// Which processes are stopped while they keep all their locks; as bits.
    var stopped: UInt8 = 0
    /// Which processes have shut their gate; as bits.
    var shut: UInt8 = 0

    var actors: [Actor]

    // What may still go wrong.
    var deaths: UInt8
    var powerLosses: UInt8
    var attacks: UInt8
    var stops: UInt8
    var scribbles: UInt8

    // What was promised, and what went wrong.
    /// The newest image that was reported as durable.
    var promised: UInt8 = 0
    /// The newest commit that is confirmed.
    var confirmedFloor: UInt8 = 1
    var wasAttacked = false
    var fault: Fault?

    enum Presence: UInt8 {
        case none, shared, exclusive
        /// Holds a shared lock while it looks for the other processes' coordination file.
        case joining
        /// Has the store open without the lock that says so; this breaks the rules.
        case unheld
    }

    init(_ scene: Scene, pageLimit: Int = 12) {
        pages = (0..<pageLimit).map { _ in DiskCell(stamp: DiskCell.garbage) }
        pages[0] = DiskCell(stamp: 0)
        pages[1] = DiskCell(stamp: 0)
        metas = (0..<UInt8(2)).map { MetaCell(Record(metaSlot: $0, flush: $0)) }
        durable = Record(metaSlot: 1)
        posted = durable
        slots = Array(repeating: 0, count: scene.slotCount)
        slotOwners = Array(repeating: nil, count: scene.slotCount)
        presence = Array(
            repeating: scene.beginsClosed ? .none : .shared, count: scene.processCount)
        actors = scene.parts.map { Actor(process: $0.process) }
        deaths = UInt8(scene.deaths)
        powerLosses = UInt8(scene.powerLosses)
        attacks = UInt8(scene.attacks)
        stops = UInt8(scene.stops)
        scribbles = UInt8(scene.scribbles)
    }

    func isStopped(_ process: UInt8) -> Bool { stopped & 1 << process != 0 }
    func isShut(_ process: UInt8) -> Bool { shut & 1 << process != 0 }

    /// Whether the process that holds a lock is stopped.
    func isStopped(holder: UInt8?) -> Bool {
        holder.map { isStopped(actors[Int($0)].process) } ?? false
    }

    func image(_ number: UInt8) -> Image { images[Int(number)] }
    var publishedCommit: UInt8 { image(published).commit }

    /// Whether a commit is the other commit, or builds on it.
    func descends(_ number: UInt8, from other: UInt8) -> Bool {
        var number = number
        while image(number).commit > image(other).commit { number = image(number).base }
        return number == other
    }

    mutating func flush() {
        for index in pages.indices { pages[index].flush() }
        for index in metas.indices { metas[index].flush() }
    }

    /// Raises the durable number to that of the posted record, which is whole in its cell.
    mutating func raiseDurable() {
        guard posted.flush > durable.flush else { return }
        durable = posted
        promise(posted)
    }

    /// Reports a record as durable, which cannot be taken back.
    mutating func promise(_ record: Record) {
        if !descends(record.image, from: promised) { fault = .promiseBroken }
        promised = record.image
        confirmedFloor = max(confirmedFloor, record.lastDurable)
    }
}
