internal import Dispatch
internal import Synchronization

/// Transactions of several threads or tasks of a process that are committed as one.
///
/// The first thread to line up leads. While it waits for the writer's lock, others line up. It then
/// runs each change in a savepoint, also those that arrive meanwhile, and commits once. The next in
/// line leads while this one flushes.
package final class WriteGroup: Sendable {
    private struct Line {
        var members: [GroupMember] = []
        var isLed = false
    }

    /// Members whose changes are published, or were refused together.
    struct Written: Sendable {
        fileprivate let leader: GroupMember
        fileprivate let members: [GroupMember]
        fileprivate let commit: Result<UInt64, BullaError>
        /// When the wait for the flush began.
        fileprivate let time = ContinuousClock.now
    }

    private let line = Mutex(Line())

    /// How many transactions one commit takes at most: others wait for the lock, too.
    private static let sizeLimit = 64

    /// How many wait for the lock, the leader among them.
    package var lineCount: Int { line.withLock { $0.members.count } }

    /// Lines up; `true` for who has to lead.
    func join(_ member: GroupMember) -> Bool {
        line.withLock { line in
            line.members.append(member)
            defer { line.isLed = true }
            return !line.isLed
        }
    }

    /// Takes the member out of the line; `false` when its turn has come.
    private func withdraw(_ member: GroupMember) -> Bool {
        line.withLock { line in
            guard !member.isLeader, let index = line.members.firstIndex(where: { $0 === member })
            else { return false }
            line.members.remove(at: index)
            return true
        }
    }

    /// Goes through the gate, for a member that is to lead.
    ///
    /// - Throws: what `enter` throws; then the next of the line leads, and is told so in turn.
    func enter(
        _ leader: GroupMember, by enter: () throws(BullaError) -> Gate.Entry
    ) throws(BullaError) -> Gate.Entry {
        do throws(BullaError) { return try enter() } catch {
            resign(leader)
            throw error
        }
    }

    /// Lets the next of the line lead in the place of a member that could not begin.
    private func resign(_ leader: GroupMember) {
        line.withLock { line in line.members.removeAll { $0 === leader } }
        passOn()
    }

    /// Publishes what those in the line have asked for who want it as durable as the leader does.
    ///
    /// - Throws: why the transaction could not be begun, which is the leader's misfortune alone.
    func write(
        _ leader: GroupMember, _ core: StoreCore
    ) throws(BullaError) -> Written {
        let transaction = try begin(leader, core)
        var members: [GroupMember] = []
        let commit = self.commit(&members, transaction, leader.durability, core)
        passOn()
        return Written(leader: leader, members: members, commit: commit)
    }

    /// Waits for the flush, and tells the members.
    ///
    /// The leader is inside the gate from before the write: a member may be in a read of the store,
    /// for which closing waits.
    func settle(_ written: Written, _ core: StoreCore) {
        let end = Result { () throws(BullaError) in
            try Settling(core: core).settle(
                try written.commit.get(), written.leader.durability, since: written.time,
                isInside: true)
        }
        for member in written.members { member.end(end, isAwake: member === written.leader) }
    }

    /// Waits until another has committed the member, or it is to lead; `true` then.
    func waitsToLead(
        _ member: GroupMember, _ turn: DispatchSemaphore, _ core: StoreCore
    ) throws(BullaError) -> Bool {
        let timeout = core.options.lockTimeout
        if turn.wait(timeout: .now() + timeout.inSeconds) == .timedOut {
            guard !withdraw(member) else {
                throw BullaError(
                    .busy,
                    "begin a write to \(core.parts.path): other threads of this process are "
                        + "writing; waited \(timeout)")
            }
            turn.wait()
        }
        return member.isLeader
    }

    private func begin(
        _ leader: GroupMember, _ core: StoreCore
    ) throws(BullaError) -> WriteTransaction {
        do throws(BullaError) { return try WriteTransaction(core, leader.durability) } catch {
            resign(leader)
            throw error
        }
    }

    private func commit(
        _ members: inout [GroupMember], _ transaction: consuming WriteTransaction,
        _ durability: Durability, _ core: StoreCore
    ) -> Result<UInt64, BullaError> {
        do throws(BullaError) {
            let scope = transaction.access.scope
            while !transaction.turn.isBroken, let member = next(durability, after: members.count) {
                members.append(member)
                member.change(&transaction)
                guard transaction.access.scope == scope else { throw tookAway(core) }
            }
            return .success(try transaction.publish())
        } catch { return .failure(error) }
    }

    private func tookAway(_ core: StoreCore) -> BullaError {
        BullaError(
            .invalidArgument,
            "commit a group to \(core.parts.path): one of its changes took away the transaction "
                + "that all share")
    }

    /// Takes the next one out of the line who asks for the same durability, as long as the commit
    /// takes more.
    ///
    /// The leader is the first of all.
    private func next(_ durability: Durability, after count: Int) -> GroupMember? {
        guard count < Self.sizeLimit else { return nil }
        return line.withLock { line in
            line.members.firstIndex { $0.durability == durability }
                .map { line.members.remove(at: $0) }
        }
    }

    /// Lets the first of the line lead, if anybody is there.
    private func passOn() {
        line.withLock { line in
            line.isLed = !line.members.isEmpty
            line.members.first?.beLeader()
        }
    }
}

/// One transaction of a group.
final class GroupMember: Sendable {
    let durability: Durability
    /// Makes the change in a savepoint; what it gives or throws is the caller's to keep.
    private let body: @Sendable (inout WriteTransaction) -> Void
    /// Wakes who waits, once: the member has to lead, or has ended.
    private let wake: @Sendable (GroupMember) -> Void
    private let failure = Mutex<BullaError?>(nil)
    private let isAppointed = Atomic(false)

    init(
        _ durability: Durability, _ body: @escaping @Sendable (inout WriteTransaction) -> Void,
        wake: @escaping @Sendable (GroupMember) -> Void
    ) {
        self.durability = durability
        self.body = body
        self.wake = wake
    }

    /// Whether it has been told to lead.
    var isLeader: Bool { isAppointed.load(ordering: .acquiring) }

    func change(_ transaction: inout WriteTransaction) { body(&transaction) }

    func beLeader() {
        isAppointed.store(true, ordering: .releasing)
        wake(self)
    }

    func end(_ outcome: Result<Void, BullaError>, isAwake: Bool) {
        if case .failure(let error) = outcome { failure.withLock { $0 = error } }
        if !isAwake { wake(self) }
    }

    /// - Throws: why the group could not be committed.
    func checkCommitted() throws(BullaError) {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// What became of a change: what it gave, or why it failed.
final class GroupResult<R: Sendable>: Sendable {
    private let result = Mutex<Result<R, any Error>?>(nil)

    /// Runs a change in a savepoint, and keeps what came of it.
    func run(
        _ body: (inout WriteTransaction) throws -> R, in transaction: inout WriteTransaction
    ) {
        let new = Result { try transaction.withSavepoint(body) }
        result.withLock { $0 = new }
    }

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
