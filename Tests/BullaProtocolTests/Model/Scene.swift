/// The parts and the possible accidents of one exploration.
struct Scene: Sendable {
    /// An actor's action: one call of the library.
    enum Verb: UInt8, Sendable {
        case open, read, readPublished, commit, commitRelaxed, flush, confirm, close
        /// Closes while other threads of the process are in the middle of their reads; the flush is
        /// left to another process.
        case shut
        /// A process's first look at the board, which raises the board's numbers.
        case look
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
    /// How many processes may die, at any step.
    var deaths = 0
    /// Whether a dead process is restarted.
    var startsAgain = false
    /// How many times the power may be lost.
    var powerLosses = 0
    /// How many processes may be stopped, at any step and for any time.
    var stops = 0
    /// How many times an outsider may write zero over a reader's slot.
    var scribbles = 0
    /// How many times a page and the older meta slot may change while no process has the file open.
    var attacks = 0

    var processCount: Int { (parts.map(\.process).max() ?? 0) + 1 }
    /// Whether the processes begin by opening the file; otherwise, they have it open already.
    var beginsClosed: Bool { parts.contains { $0.verbs.first == .open } }

    /// One slot for each reading thread, but at least one.
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
