/// The shares of records in a zone as a plan leaves them, and the shares to which the planned
/// records will belong.
struct PlannedShares {
    /// The shares that exist, and those that the plan adds.
    private(set) var all: [RandomIdentifier: RecordShare]
    /// The shares of records that the planned changes save.
    var saved: [(index: Int, name: String, root: String?)] = []
    /// The shares that the zone's head does not have yet.
    private var pending: Set<RandomIdentifier> = []
    /// The shares in the head whose records do not exist, because a process has ended before it
    /// made them.
    private(set) var orphans: Set<RandomIdentifier> = []
    /// Whether the plan only makes followers look at a share.
    var isNotice = false
    /// Whether the zone has shares of records, or had some that have not ended completely.
    private let isInUse: Bool
    private var places: [String: RandomIdentifier] = [:]
    /// The shares of the records that were looked up so far; `nil` for a record in no share.
    var memberships: [String: RandomIdentifier?] = [:]

    init(_ zone: ZoneState) {
        all = zone.liveShares
        isInUse = zone.keyring?.shares.isEmpty == false
        for (identifier, share) in all { list(share, identifier) }
    }

    /// Whether no record of the zone belongs to a share.
    var isEmpty: Bool { !isInUse && pending.isEmpty }

    private mutating func list(_ share: RecordShare, _ identifier: RandomIdentifier) {
        places[share.name] = identifier
        places[share.root] = identifier
    }

    /// The share whose root or record has this name.
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

    /// The share to which a record belongs, unless that share has ended.
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
