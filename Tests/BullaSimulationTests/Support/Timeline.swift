/// Which commits a disk must have, can have and cannot have at each moment of its history.
struct Timeline {
    /// What a crash at one moment can leave.
    struct Allowed {
        var isMissingAllowed: Bool
        var versions: [Version]
    }

    private enum Mark {
        case begun, acknowledged, recovered
    }

    private struct Entry {
        let eventCount: Int
        let mark: Mark
        let version: Int
    }

    private let start: Allowed
    private var versions: [Version]
    private var entries: [Entry] = []

    init(_ start: Allowed) {
        self.start = start
        versions = start.versions
    }

    /// From now on a commit can reach the disk.
    mutating func begin(_ version: Version, at eventCount: Int) {
        versions.append(version)
        entries.append(
            Entry(eventCount: eventCount, mark: .begun, version: versions.count - 1))
    }

    /// The commit begun last was rolled back: no disk can have it.
    mutating func withdraw() {
        versions.removeLast()
        entries.removeAll { $0.version == versions.count }
    }

    /// The commit begun last.
    var lastVersion: Version? { versions.last }

    /// Commits begun after this version were never seen: no disk can have them.
    mutating func forget(after version: Version) {
        while let last = versions.last, last != version { withdraw() }
    }

    /// The commit begun last was acknowledged as durable.
    mutating func acknowledge(at eventCount: Int) {
        entries.append(
            Entry(eventCount: eventCount, mark: .acknowledged, version: versions.count - 1))
    }

    /// Opening has found this version: it is durable, and all others are gone.
    mutating func recover(_ version: Version, at eventCount: Int) {
        versions.append(version)
        entries.append(
            Entry(eventCount: eventCount, mark: .recovered, version: versions.count - 1))
    }

    /// What a disk can have after this many events.
    func allowed(at cut: Int) -> Allowed {
        var isMissingAllowed = start.isMissingAllowed
        var possible = Array(start.versions.indices)
        for entry in entries {
            switch entry.mark {
            case .begun where entry.eventCount < cut: possible.append(entry.version)
            case .acknowledged where entry.eventCount <= cut:
                isMissingAllowed = false
                possible.removeAll { $0 < entry.version }
            case .recovered where entry.eventCount <= cut:
                isMissingAllowed = false
                possible = [entry.version]
            default: break
            }
        }
        return Allowed(
            isMissingAllowed: isMissingAllowed, versions: possible.map { versions[$0] })
    }
}
