internal import Dispatch
internal import Synchronization

/// Transactions of several threads of a process that are committed as one.
///
/// Who finds nobody leading leads. While it waits for the writer's lock others line up; when it has
/// the lock it runs them all, each in a savepoint of its own, and commits once for everybody.
final class WriteGroup: Sendable {
    private struct Line {
        var members: [GroupMember] = []
        var isLed = false
    }

    private let line = Mutex(Line())

    /// How many transactions one commit takes at most: others wait for the lock, too.
    private static let sizeLimit = 64

    /// How many wait for the lock, the leader among them.
    var lineCount: Int { line.withLock { $0.members.count } }

    /// Runs the member's transaction, and returns when it is as durable as it asked, or has failed.
    func run(_ member: GroupMember, _ core: StoreCore) {
        if join(member) || member.waitsToLead() { lead(core) }
    }

    /// Lines up; `true` for who has to lead.
    private func join(_ member: GroupMember) -> Bool {
        line.withLock { line in
            line.members.append(member)
            defer { line.isLed = true }
            return !line.isLed
        }
    }

    /// Commits those at the head of the line, the leader among them.
    private func lead(_ core: StoreCore) {
        let durability = line.withLock { $0.members[0].durability }
        var members: [GroupMember] = []
        let outcome: Result<UInt64, BullaError>
        do throws(BullaError) {
            let transaction = try WriteTransaction(core, durability)
            members = take(durability)
            outcome = .success(try Self.commit(members, transaction))
        } catch {
            if members.isEmpty { members = take(durability) }
            outcome = .failure(error)
        }
        let end = Result { () throws(BullaError) in
            try core.settle(try outcome.get(), durability)
        }
        passOn()
        for member in members { member.end(end) }
    }

    private static func commit(
        _ members: [GroupMember], _ transaction: consuming WriteTransaction
    ) throws(BullaError) -> UInt64 {
        let turn = transaction.access.scope
        for member in members { member.change(&transaction) }
        guard transaction.access.scope == turn else {
            throw BullaError(
                .invalidArgument,
                "commit a group: one of its changes ended the transaction that all share")
        }
        return try transaction.publish()
    }

    /// Takes those at the head of the line who ask for the same durability.
    private func take(_ durability: Durability) -> [GroupMember] {
        line.withLock { line in
            let members = line.members.prefix(Self.sizeLimit).prefix { $0.durability == durability }
            line.members.removeFirst(members.count)
            return Array(members)
        }
    }

    /// Lets the head of the line lead, if anybody is there.
    private func passOn() {
        let next = line.withLock { line in
            line.isLed = !line.members.isEmpty
            return line.members.first
        }
        next?.beLeader()
    }
}

/// What became of a change: what it gave, or why it failed.
final class GroupResult<R: Sendable>: Sendable {
    private let result = Mutex<Result<R, any Error>?>(nil)

    func set(_ new: Result<R, any Error>) { result.withLock { $0 = new } }

    /// - Throws: what the change threw, or else why the group was not committed.
    func get(_ member: GroupMember) throws -> R {
        if case .failure(let error) = result.withLock({ $0 }) { throw error }
        try member.checkCommitted()
        guard let result = result.withLock({ $0 }) else {
            preconditionFailure("a group that is committed has run all its changes")
        }
        return try result.get()
    }
}

/// One transaction of a group, and the thread that waits for it.
final class GroupMember: Sendable {
    let durability: Durability
    /// Makes the change in a savepoint; what it gives or throws is the caller's to keep.
    private let body: @Sendable (inout WriteTransaction) -> Void
    private let failure = Mutex<BullaError?>(nil)
    private let isLeader = Atomic(false)
    private let turn = DispatchSemaphore(value: 0)

    init(_ durability: Durability, _ body: @escaping @Sendable (inout WriteTransaction) -> Void) {
        self.durability = durability
        self.body = body
    }

    func change(_ transaction: inout WriteTransaction) { body(&transaction) }

    /// Waits until somebody has committed it, or it is to lead; `true` then.
    func waitsToLead() -> Bool {
        turn.wait()
        return isLeader.load(ordering: .acquiring)
    }

    func beLeader() {
        isLeader.store(true, ordering: .releasing)
        turn.signal()
    }

    func end(_ outcome: Result<Void, BullaError>) {
        if case .failure(let error) = outcome { failure.withLock { $0 = error } }
        turn.signal()
    }

    /// - Throws: why the group could not be committed.
    func checkCommitted() throws(BullaError) {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
