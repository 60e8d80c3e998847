internal import Dispatch
internal import Synchronization

/// Commits the transactions of several threads or tasks of a process together, as one commit.
///
/// The first thread in line is the leader. While it waits for the writer lock, others line up. The
/// leader then runs each change in a savepoint, including changes that arrive while it does so, and
/// commits once. While it flushes, the next thread in line leads.
package final class WriteGroup: Sendable {
    private struct Line {
        var members: [GroupMember] = []
        var isLed = false
    }

    /// Members whose changes were published together, or failed together.
    struct Written: Sendable {
        fileprivate let leader: GroupMember
        fileprivate let members: [GroupMember]
        fileprivate let commit: Result<UInt64, BullaError>
        /// When the wait for the flush began.
        fileprivate let time = ContinuousClock.now
    }

    private let line = Mutex(Line())

    /// The maximum number of transactions in one commit; limited, because other writers wait for
    /// the writer lock too.
    private static let sizeLimit = 64

    /// How many members are in line, including a leader that still waits for the writer lock.
    package var lineCount: Int { line.withLock { $0.members.count } }

    /// Adds a member to the line; `true` if the member must lead.
    func join(_ member: GroupMember) -> Bool {
        line.withLock { line in
            line.members.append(member)
            defer { line.isLed = true }
            return !line.isLed
        }
    }

    /// Removes a member from the line; `false` if the member leads, or if the leader has already
    /// taken it out of the line.
    private func withdraw(_ member: GroupMember) -> Bool {
        line.withLock { line in
            guard !member.isLeader, let index = line.members.firstIndex(where: { $0 === member })
            else { return false }
            line.members.remove(at: index)
            return true
        }
    }

    /// Passes the store's gate for a member that must lead; closing the store shuts that gate.
    ///
    /// - Throws: what `enter` throws; the next member in line then becomes the leader.
    func enter(
        _ leader: GroupMember, by enter: () throws(BullaError) -> Gate.Entry
    ) throws(BullaError) -> Gate.Entry {
        do throws(BullaError) { return try enter() } catch {
            resign(leader)
            throw error
        }
    }

    /// Removes from the line a leader that could not begin, and makes the next member the leader.
    private func resign(_ leader: GroupMember) {
        line.withLock { line in line.members.removeAll { $0 === leader } }
        passOn()
    }

    /// Publishes the changes of the members in line that ask for the same durability as the leader,
    /// at most ``sizeLimit`` of them.
    ///
    /// - Throws: why the transaction could not begin; in that case only the leader fails.
    func write(
        _ leader: GroupMember, _ core: StoreCore
    ) throws(BullaError) -> Written {
        let transaction = try begin(leader, core)
        var members: [GroupMember] = []
        let commit = self.commit(&members, transaction, leader.durability, core)
        passOn()
        return Written(leader: leader, members: members, commit: commit)
    }

    /// Waits for the flush, and then wakes the members.
    ///
    /// The leader has been inside the gate since before the write, and must not enter it again. If
    /// the store is being closed, a leader that enters waits for the closer. The closer may wait
    /// for another member, which is inside a read, and that member waits for the leader.
    func settle(_ written: Written, _ core: StoreCore) {
        let end = Result { () throws(BullaError) in
            try Settling(core: core).settle(
                try written.commit.get(), written.leader.durability, since: written.time,
                isInside: true)
        }
        for member in written.members { member.end(end, isAwake: member === written.leader) }
    }

    /// Waits until the member's change has been committed or has failed, or the member must lead.
    ///
    /// - Returns: whether it must lead.
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

    /// Removes the next member with this durability from the line, and returns it; `nil` if there
    /// is none, or if the commit already has ``sizeLimit`` members.
    ///
    /// The first call for a commit returns the leader.
    private func next(_ durability: Durability, after count: Int) -> GroupMember? {
        guard count < Self.sizeLimit else { return nil }
        return line.withLock { line in
            line.members.firstIndex { $0.durability == durability }
                .map { line.members.remove(at: $0) }
        }
    }

    /// Makes the first member in line the leader, if there is one.
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
    /// Makes the change in a savepoint, and keeps the change's result or its error.
    private let body: @Sendable (inout WriteTransaction) -> Void
    /// Wakes the waiting thread or task, once: when the member must lead, or when its change has
    /// been committed or has failed.
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

    /// Whether the member must lead.
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

/// The outcome of a change: its result, or its error.
final class GroupResult<R: Sendable>: Sendable {
    private let result = Mutex<Result<R, any Error>?>(nil)

    /// Runs a change in a savepoint, and keeps the outcome.
    func run(
        _ body: (inout WriteTransaction) throws -> R, in transaction: inout WriteTransaction
    ) {
        let new = Result { try transaction.withSavepoint(body) }
        result.withLock { $0 = new }
    }

    /// - Throws: what the change threw; otherwise why the group was not committed.
    func get(_ member: GroupMember) throws -> R {
        if case .failure(let error) = result.withLock({ $0 }) { throw error }
        try member.checkCommitted()
        guard let result = result.withLock({ $0 }) else {
            preconditionFailure("a group that is committed has run all its changes")
        }
        return try result.get()
    }
}
