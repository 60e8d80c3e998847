/// Who does what, and how much may go wrong: what one exploration covers.
struct Scene: Sendable {
    /// What an actor can do, as one call of the library.
    enum Verb: UInt8, Sendable {
        case open, read, readPublished, commit, commitRelaxed, direct, flush, mark, checkpoint
        /// A commit of two frames, durable.
        case commitLarge
        /// A checkpoint under the writer's lock, which moves the half that is free.
        case grow
        case close
    }

    /// One thread of a process.
    struct Part: Sendable {
        var process: Int
        /// What it does, in this order.
        var verbs: [Verb]
        /// What it does instead once the power has been lost, or its process was started again.
        var afterwards: [Verb] = []
    }

    var parts: [Part]
    /// How many cells each half of the log has, headers among them.
    var cellCount = 3
    /// How often a half may be given another place; then the log has a third stretch of pages.
    var moves = 0
    /// How many processes may die, at any step.
    var deaths = 0
    /// Whether a process that died is started again.
    var startsAgain = false
    /// How often the power may be lost.
    var powerLosses = 0
    /// How many processes may be stopped, at any step, for as long as it may be.
    var stops = 0
    /// How often a write of a frame may fail, although the whole frame stands in the page cache.
    var failures = 0
    /// How often a stranger may write over the word that says how far the log was announced.
    var scribbles = 0
    /// How often a frame may be damaged while nobody has the file open.
    var damages = 0

    /// How often a meta slot may be damaged while nobody has the file open, and the disk has both.
    var slotDamages = 0

    /// Whether the halves of the log can lie elsewhere.
    var movesHalves: Bool { moves > 0 }
    /// How many stretches of pages are the log's, or were.
    var stretchCount: Int { movesHalves ? 3 : 2 }
    var processCount: Int { (parts.map(\.process).max() ?? 0) + 1 }
    /// Whether the processes have to open the file, or are there already.
    var beginsClosed: Bool { parts.contains { $0.verbs.first == .open } }

    func verb(_ actor: Actor, _ index: Int) -> Verb? {
        let verbs = actor.isAfterwards ? parts[index].afterwards : parts[index].verbs
        return Int(actor.verb) < verbs.count ? verbs[Int(actor.verb)] : nil
    }
}
