/// What a process does to the files of a store, and where it can be killed.
package enum KillStep: String, CaseIterable, Sendable {
    case openData = "open-data"
    case openWorld = "open-world"
    case createWorld = "create-world"
    case renameWorld = "rename-world"
    case removeWorld = "remove-world"
    case mapData = "map-data"
    case mapWorld = "map-world"
    /// The coordination file is given room for reader slots.
    case allocateWorld = "allocate-world"
    /// The data file is given room for a large commit.
    case allocateData = "allocate-data"
    /// The data file is made longer with zeros.
    case grow
    /// The data file's end is given back.
    case truncate
    case writePage = "write-page"
    case writeFirstMeta = "write-meta-0"
    case writeSecondMeta = "write-meta-1"
    /// A flush that is no leader's: for growth, or by who recovers.
    case flush
    /// The leader's flush.
    case lead
    /// Alone with the store, to open or to close it.
    case lockAlone = "lock-alone"
    /// Beside others.
    case lockPresence = "lock-presence"
    case lockWorld = "lock-world"
    case lockWriter = "lock-writer"
    case unlockWriter = "unlock-writer"
    case lockFlush = "lock-flush"
    case unlockFlush = "unlock-flush"
    case lockSlot = "lock-slot"
    /// Says which secret the process knows.
    case lockSecret = "lock-secret"
    case lockReencrypting = "lock-reencrypting"
    case writeFirstKeyring = "write-keyring-0"
    case writeSecondKeyring = "write-keyring-1"
    /// Zeros over a page of a secret that was replaced.
    case erase
    /// A frame of the log, or the header of a segment.
    case append
    case writeFirstMark = "write-mark-0"
    case writeSecondMark = "write-mark-1"
    case lockTree = "lock-tree"
    case unlockTree = "unlock-tree"

    /// Steps of a process that changes keys.
    package static let ofKeys: Set<KillStep> = [
        .lockSecret, .lockReencrypting, .writeFirstKeyring, .writeSecondKeyring, .erase,
    ]
    /// Steps of logging and of checkpoints: a process comes to all of them soon where the log is
    /// short.
    package static let ofLog: Set<KillStep> = [
        .append, .writeFirstMark, .writeSecondMark, .lockTree, .unlockTree,
    ]
    /// Steps of a process that writes and reads.
    package static let ofWork = allCases.filter { !ofKeys.contains($0) }

    /// Steps of a process that is alone with the store; beside others it does not come to them.
    package static let lonely: Set<KillStep> = [
        .createWorld, .renameWorld, .removeWorld, .allocateWorld, .truncate,
    ]
    /// Steps that a process beside others may leave to them, or comes to by luck.
    package static let shared: Set<KillStep> = [
        .grow, .allocateData, .flush, .lockAlone, .writeFirstMark, .writeSecondMark,
    ]
    package static let writes: Set<KillStep> = [
        .grow, .writePage, .writeFirstMeta, .writeSecondMeta, .writeFirstKeyring,
        .writeSecondKeyring, .erase, .append, .writeFirstMark, .writeSecondMark,
    ]
    /// The moments at which a process can be killed there.
    package var moments: [KillPoint.Moment] {
        Self.writes.contains(self) ? [.before, .after, .torn] : [.before, .after]
    }
}

/// When a process kills itself.
package struct KillPoint: Sendable, CustomStringConvertible {
    package enum Moment: String, CaseIterable, Sendable {
        case before, after
        /// Half of what is to be written has been.
        case torn
    }

    package let step: KillStep
    package let moment: Moment
    /// Which time that the step is done, from 1 on.
    package let occurrence: Int

    package init(_ step: KillStep, _ moment: Moment, occurrence: Int = 1) {
        self.step = step
        self.moment = moment
        self.occurrence = occurrence
    }

    /// The form that a worker's arguments have.
    package init?(_ text: String) {
        let parts = text.split(separator: ":")
        guard parts.count == 3, let step = KillStep(rawValue: String(parts[0])),
            let moment = Moment(rawValue: String(parts[1])), let occurrence = Int(parts[2])
        else { return nil }
        self.init(step, moment, occurrence: occurrence)
    }

    package var description: String { "\(step.rawValue):\(moment.rawValue):\(occurrence)" }
}
