/// The parts and the possible accidents of one exploration.
struct Scene: Sendable {
    /// An actor's action: one call of the library.
    enum Verb: UInt8, Sendable {
        case open, read, readPublished, commit, commitRelaxed, direct, flush, mark, checkpoint
        /// A commit of two frames, durable.
        case commitLarge
        /// A checkpoint that moves the free half, under the writer's lock.
        case grow
        case close
    }

    /// One thread of a process.
    struct Part: Sendable {
        var process: Int
        /// Its actions, in this order.
        var verbs: [Verb]
        /// Its actions after a power loss, or after a restart of its process.
        var afterwards: [Verb] = []
    }

    var parts: [Part]
    /// How many cells each half of the log has, including headers.
    var cellCount = 3
    /// How many times a half may move; if more than 0, the log has a third stretch of pages.
    var moves = 0
    /// How many processes may die, at any step.
    var deaths = 0
    /// Whether a dead process is restarted.
    var startsAgain = false
    /// How many times the power may be lost.
    var powerLosses = 0
    /// How many processes may be stopped, at any step and for any length of time.
    var stops = 0
    /// How many writes of a frame may fail although the page cache has the whole frame.
    var failures = 0
    /// How many times an outsider may overwrite the word that says how far the log is announced.
    var scribbles = 0
    /// How many frames may be damaged while no process has the file open.
    var damages = 0

    /// How many meta slots may be damaged while no process has the file open and both are whole on
    /// the disk.
    var slotDamages = 0

    /// Whether the halves of the log can move.
    var movesHalves: Bool { moves > 0 }
    /// How many stretches of pages are halves of the log, or can become one.
    var stretchCount: Int { movesHalves ? 3 : 2 }
    var processCount: Int { (parts.map(\.process).max() ?? 0) + 1 }
    /// Whether the processes begin by opening the file, instead of having it open already.
    var beginsClosed: Bool { parts.contains { $0.verbs.first == .open } }

    func verb(_ actor: Actor, _ index: Int) -> Verb? {
        let verbs = actor.isAfterwards ? parts[index].afterwards : parts[index].verbs
        return Int(actor.verb) < verbs.count ? verbs[Int(actor.verb)] : nil
    }
}
