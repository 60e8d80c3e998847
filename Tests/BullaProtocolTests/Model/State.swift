/// All that there is at one moment: the file, the coordination file, the locks and the processes.
struct State: Hashable {
    // The disk.
    var pages: [PageCell]
    var metas: [MetaCell]
    /// What every stamp means; a stamp is the place of an image here.
    var images: [Image] = [.first]

    // The coordination file.
    /// The newest published commit, as the number of its image.
    var published: UInt8 = 0
    var durable = Record()
    /// The newest durable record that is whole in its cell; its number may not be the newest yet.
    var posted = Record()
    var isFlushing = false
    /// How often the flush lock was given up, as those who wait were told.
    var turns: UInt8 = 0
    /// The commit that each reader slot names; 0: none.
    var slots: [UInt8]

    // The locks.
    /// Of each slot, the process that holds it.
    var slotOwners: [UInt8?]
    var writer: UInt8?
    var flusher: UInt8?
    var presence: [Presence]

    var actors: [Actor]

    // What may still go wrong.
    var deaths: UInt8
    var powerLosses: UInt8
    var attacks: UInt8

    // What was promised, and what went wrong.
    /// The newest image that somebody was told is durable.
    var promised: UInt8 = 0
    /// The newest commit that is confirmed.
    var confirmedFloor: UInt8 = 1
    var wasAttacked = false
    var fault: Fault?

    enum Presence: UInt8 {
        case none, shared, exclusive
        /// Shared, while it looks for the coordination file of those who are there.
        case joining
        /// Has the store open without a lock that says so: against the rules.
        case unheld
    }

    init(_ scene: Scene, pageLimit: Int = 12) {
        pages = (0..<pageLimit).map { _ in PageCell(stamp: PageCell.garbage) }
        pages[0] = PageCell(stamp: 0)
        pages[1] = PageCell(stamp: 0)
        metas = (0..<UInt8(2)).map { MetaCell(Record(metaSlot: $0, flush: $0)) }
        durable = Record(metaSlot: 1)
        posted = durable
        slots = scene.parts.map { _ in 0 }
        slotOwners = scene.parts.map { _ in nil }
        presence = Array(
            repeating: scene.beginsClosed ? .none : .shared, count: scene.processCount)
        actors = scene.parts.map { Actor(process: $0.process) }
        deaths = UInt8(scene.deaths)
        powerLosses = UInt8(scene.powerLosses)
        attacks = UInt8(scene.attacks)
    }

    func image(_ number: UInt8) -> Image { images[Int(number)] }
    var publishedCommit: UInt8 { image(published).commit }

    /// Whether a commit builds on another, or is that one.
    func descends(_ number: UInt8, from other: UInt8) -> Bool {
        var number = number
        while image(number).commit > image(other).commit { number = image(number).base }
        return number == other
    }

    mutating func flush() {
        for index in pages.indices { pages[index].flush() }
        for index in metas.indices { metas[index].flush() }
    }

    /// Raises the durable number to the record that is whole in its cell.
    mutating func raiseDurable() {
        guard posted.flush > durable.flush else { return }
        durable = posted
        promise(posted)
    }

    /// Says that a record is durable, which can never be taken back.
    mutating func promise(_ record: Record) {
        if !descends(record.image, from: promised) { fault = .promiseBroken }
        promised = record.image
        confirmedFloor = max(confirmedFloor, record.lastDurable)
    }
}
