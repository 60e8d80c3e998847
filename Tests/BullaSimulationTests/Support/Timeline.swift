/// Which commits a disk must have, may have and cannot have at each moment of its history.
struct Timeline {
    /// What a crash at one moment may leave.
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

    /// A commit may reach the disk from now on.
    mutating func begin(_ version: Version, at eventCount: Int) {
        versions.append(version)
        entries.append(
            Entry(eventCount: eventCount, mark: .begun, version: versions.count - 1))
    }

    /// The commit begun last has come to nothing: no disk can have it.
    mutating func withdraw() {
        versions.removeLast()
        entries.removeAll { $0.version == versions.count }
    }

    /// The commit begun last.
    var lastVersion: Version? { versions.last }

    /// Nobody has seen what was begun after this version: no disk can have it.
    mutating func forget(after version: Version) {
        while let last = versions.last, last != version { withdraw() }
    }

    /// The commit begun last was said to be durable.
    mutating func acknowledge(at eventCount: Int) {
        entries.append(
            Entry(eventCount: eventCount, mark: .acknowledged, version: versions.count - 1))
    }

    /// Opening has found this version: it is durable, and others are gone.
    mutating func recover(_ version: Version, at eventCount: Int) {
        versions.append(version)
        entries.append(
            Entry(eventCount: eventCount, mark: .recovered, version: versions.count - 1))
    }

    /// What a disk may have after so many events.
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
