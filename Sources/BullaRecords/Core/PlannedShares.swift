/// Which shares of records a zone will have once a plan is carried out, and to which of them each
/// planned record will belong.
struct PlannedShares {
    /// The shares that exist, and those that the plan adds.
    private(set) var all: [RandomIdentifier: RecordShare]
    /// The share records that the planned changes save, each with the root that its change names.
    var saved: [(index: Int, name: String, root: String?)] = []
    /// Those shares of ``all`` that the plan adds: the zone's head does not have them yet.
    private var pending: Set<RandomIdentifier> = []
    /// The shares in the head that have no share record, because the process that began them ended
    /// before it saved that record.
    private(set) var orphans: Set<RandomIdentifier> = []
    /// Whether the plan only changes a share record's tag, so that followers look at the share
    /// again.
    var isNotice = false
    /// Whether the zone has shares of records, including those that are ending.
    private let isInUse: Bool
    private var places: [String: RandomIdentifier] = [:]
    /// The share to which each record that was looked up so far will belong; `nil` for none.
    var memberships: [String: RandomIdentifier?] = [:]

    init(_ zone: ZoneState) {
        all = zone.liveShares
        isInUse = zone.keyring?.shares.isEmpty == false
        for (identifier, share) in all { list(share, identifier) }
    }

    /// Whether the zone has no shares of records, and the plan adds none.
    var isEmpty: Bool { !isInUse && pending.isEmpty }

    private mutating func list(_ share: RecordShare, _ identifier: RandomIdentifier) {
        places[share.name] = identifier
        places[share.root] = identifier
    }

    /// The share whose root record or share record has this name.
    func share(at name: String) -> RandomIdentifier? { places[name] }

    func isRoot(_ name: String) -> Bool { root(name) != nil }

    /// The share whose root has this name.
    func root(_ name: String) -> RandomIdentifier? {
        places[name].flatMap { all[$0]?.root == name ? $0 : nil }
    }

    func isPending(_ share: RandomIdentifier?) -> Bool {
        share.map { pending.contains($0) } ?? false
    }

    /// The share to which a planned record will belong; `nil` for none.
    func membership(of name: String) -> RandomIdentifier? { memberships[name] ?? nil }

    /// The given share; `nil` if it has ended.
    func live(_ share: RandomIdentifier?) -> RandomIdentifier? {
        share.flatMap { all[$0] == nil ? nil : $0 }
    }

    mutating func add(_ share: RecordShare) throws(RecordError) {
        let identifier = try RandomIdentifier.new()
        all[identifier] = share
        pending.insert(identifier)
        list(share, identifier)
    }

    mutating func drop(orphan share: RandomIdentifier) {
        orphans.insert(share)
        all[share] = nil
        places = places.filter { $0.value != share }
    }
}
