/// Who does what, and how much may go wrong: what one exploration covers.
struct Scene: Sendable {
    /// What an actor can do, as one call of the library.
    enum Verb: UInt8, Sendable {
        case open, read, readPublished, commit, commitRelaxed, flush, confirm, close
        /// Closes while other threads of the process are in the middle of their reads; somebody
        /// else flushes.
        case shut
        /// The first look of a process at the board, which raises its numbers.
        case look
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
    /// How many processes may die, at any step.
    var deaths = 0
    /// Whether a process that died is started again.
    var startsAgain = false
    /// How often the power may be lost.
    var powerLosses = 0
    /// How many processes may be stopped, at any step, for as long as it may be.
    var stops = 0
    /// How often a stranger may write zero over a reader's slot.
    var scribbles = 0
    /// How often a page and the older meta slot may be changed while nobody has the file open.
    var attacks = 0

    var processCount: Int { (parts.map(\.process).max() ?? 0) + 1 }
    /// Whether the processes have to open the file, or are there already.
    var beginsClosed: Bool { parts.contains { $0.verbs.first == .open } }

    /// One for each thread that reads, and one at least.
    var slotCount: Int {
        let readers = parts.filter { part in
            (part.verbs + part.afterwards).contains { $0 == .read || $0 == .readPublished }
        }
        return max(1, readers.count)
    }

    /// Whether the process is closed while its threads read.
    func isShut(_ process: UInt8) -> Bool {
        parts.contains { $0.process == Int(process) && $0.verbs.contains(.shut) }
    }

    func verb(_ actor: Actor, _ index: Int) -> Verb? {
        let verbs = actor.isAfterwards ? parts[index].afterwards : parts[index].verbs
        return Int(actor.verb) < verbs.count ? verbs[Int(actor.verb)] : nil
    }
}
