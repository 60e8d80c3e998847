/// The steps in which a process works on the files of a store, at each of which it can be killed.
package enum KillStep: String, CaseIterable, Sendable {
    case openData = "open-data"
    case openWorld = "open-world"
    case createWorld = "create-world"
    case renameWorld = "rename-world"
    case removeWorld = "remove-world"
    case mapData = "map-data"
    case mapWorld = "map-world"
    /// Extends the coordination file for reader slots.
    case allocateWorld = "allocate-world"
    /// Allocates space in the data file for a large commit.
    case allocateData = "allocate-data"
    /// Extends the data file with zeros.
    case grow
    /// Cuts off the end of the data file.
    case truncate
    case writePage = "write-page"
    case writeFirstMeta = "write-meta-0"
    case writeSecondMeta = "write-meta-1"
    /// A flush that is not a leader's: it is for growth, or by the process that recovers the store.
    case flush
    /// The leader's flush.
    case lead
    /// Locks the store exclusively, to open or to close it.
    case lockAlone = "lock-alone"
    /// Locks it as one of several processes.
    case lockPresence = "lock-presence"
    case lockWorld = "lock-world"
    case lockWriter = "lock-writer"
    case unlockWriter = "unlock-writer"
    case lockFlush = "lock-flush"
    case unlockFlush = "unlock-flush"
    case lockSlot = "lock-slot"
    /// Locks a byte that tells others which secret the process knows.
    case lockSecret = "lock-secret"
    case lockReencrypting = "lock-reencrypting"
    case writeFirstKeyring = "write-keyring-0"
    case writeSecondKeyring = "write-keyring-1"
    /// Zeros a page that is sealed under a replaced secret.
    case erase
    /// Writes a frame of the log, or the header of a segment.
    case append
    case writeFirstMark = "write-mark-0"
    case writeSecondMark = "write-mark-1"
    case lockTree = "lock-tree"
    case unlockTree = "unlock-tree"

    /// Steps of a process that changes keys.
    package static let ofKeys: Set<KillStep> = [
        .lockSecret, .lockReencrypting, .writeFirstKeyring, .writeSecondKeyring, .erase,
    ]
    /// Steps of logging and of checkpoints; with a short log a process soon reaches all of them.
    package static let ofLog: Set<KillStep> = [
        .append, .writeFirstMark, .writeSecondMark, .lockTree, .unlockTree,
    ]
    /// Steps of a process that writes and reads.
    package static let ofWork = allCases.filter { !ofKeys.contains($0) }

    /// Steps of a process that is alone with the store; with others it does not reach them.
    package static let lonely: Set<KillStep> = [
        .createWorld, .renameWorld, .removeWorld, .allocateWorld, .truncate,
    ]
    /// Steps that others may do instead of this process, or that it reaches by chance.
    package static let shared: Set<KillStep> = [
        .grow, .allocateData, .flush, .lockAlone, .writeFirstMark, .writeSecondMark,
    ]
    package static let writes: Set<KillStep> = [
        .grow, .writePage, .writeFirstMeta, .writeSecondMeta, .writeFirstKeyring,
        .writeSecondKeyring, .erase, .append, .writeFirstMark, .writeSecondMark,
    ]
    /// The moments of this step at which a process can be killed.
    package var moments: [KillPoint.Moment] {
        Self.writes.contains(self) ? [.before, .after, .torn] : [.before, .after]
    }
}

/// When a process kills itself.
package struct KillPoint: Sendable, CustomStringConvertible {
    package enum Moment: String, CaseIterable, Sendable {
        case before, after
        /// Half of the write has been done.
        case torn
    }

    package let step: KillStep
    package let moment: Moment
    /// Which occurrence of the step it is, counted from 1.
    package let occurrence: Int

    package init(_ step: KillStep, _ moment: Moment, occurrence: Int = 1) {
        self.step = step
        self.moment = moment
        self.occurrence = occurrence
    }

    /// Parses the form used in a worker's arguments.
    package init?(_ text: String) {
        let parts = text.split(separator: ":")
        guard parts.count == 3, let step = KillStep(rawValue: String(parts[0])),
            let moment = Moment(rawValue: String(parts[1])), let occurrence = Int(parts[2])
        else { return nil }
        self.init(step, moment, occurrence: occurrence)
    }

    package var description: String { "\(step.rawValue):\(moment.rawValue):\(occurrence)" }
}
