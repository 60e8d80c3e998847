internal import BullaMemory

/// The way into a store: every use of the store goes through a gate, and closing the store shuts
/// that gate.
final class Entrance: Sendable {
    let gate = Gate()
    private let path: String
    private let access: StoreOptions.Access
    private let pager: Pager
    private let world: World
    /// Detects a forked child; `nil` if the system had no memory for it.
    private let sentinel: ForkSentinel?

    init(
        _ parts: StoreParts, _ options: StoreOptions, _ pager: Pager, _ world: World,
        _ sentinel: ForkSentinel?
    ) {
        path = parts.path
        access = options.access
        self.pager = pager
        self.world = world
        self.sentinel = sentinel
    }

    /// Whether this is the process that opened the store, and not its forked child.
    ///
    /// In a child, the file and the locks belong to the parent, and the memory is empty.
    var isOriginal: Bool { sentinel?.isOriginal ?? true }

    @inline(__always)
    func checkProcess() throws(BullaError) {
        if let sentinel, !sentinel.isOriginal { throw usedAfterFork() }
    }

    /// Checks that the store is open, and that this process opened it.
    @inline(__always)
    func checkAlive() throws(BullaError) {
        if gate.isShut { throw closed() }
        try checkProcess()
    }

    @inline(__always)
    func checkUse() throws(BullaError) {
        try checkAlive()
        try pager.mapping.checkFaults()
        if world.hasFaulted {
            throw BullaError(
                .replaced,
                "use \(path): its coordination file was cut short; "
                    + "close the store everywhere and open it again")
        }
    }

    func checkWritable() throws(BullaError) {
        try checkUse()
        guard access == .readWrite else {
            throw BullaError(
                .readOnly,
                "write to \(path): it was opened for reading only; open it for reading and writing"
            )
        }
    }

    private func usedAfterFork() -> BullaError {
        BullaError(.usedAfterFork, "use \(path): it was opened before a fork; open it again here")
    }

    private func closed() -> BullaError { .closed(path) }

    /// Runs `body` as a use of the store; closing waits until it ends.
    ///
    /// - Throws: what `body` throws; `closed`.
    @inline(__always)
    func use<R: ~Copyable>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        let entry = try enter()
        defer { leave(entry) }
        return try body()
    }

    /// Runs `body` as ``use(_:)`` does, for a closure that may throw errors of any type.
    @inline(__always)
    func using<R>(_ body: () throws -> R) throws -> R {
        let entry = try enter()
        defer { leave(entry) }
        return try body()
    }

    /// Goes through the gate; the caller must pass each entry to ``leave(_:)``.
    ///
    /// While another thread closes the store, this waits for the outcome, because closing can fail
    /// and leave the store open.
    @inline(__always)
    func enter() throws(BullaError) -> Gate.Entry {
        let entry = gate.enter()
        if gate.isOpen || entry == .nested { return entry }
        return try enterLater(entry)
    }

    @inline(__always)
    func leave(_ entry: Gate.Entry) { gate.leave(entry) }

    @inline(never)
    private func enterLater(_ first: Gate.Entry) throws(BullaError) -> Gate.Entry {
        var entry = first
        while true {
            leave(entry)
            try checkAlive()
            Pause.brief()
            entry = gate.enter()
            if gate.isOpen { return entry }
        }
    }

    /// Goes through the gate for work that may end on another thread.
    func enterForAnyThread() throws(BullaError) -> Gate.Entry {
        while true {
            let entry = gate.enterCounted()
            if gate.isOpen { return entry }
            leave(entry)
            // Wait until closing has succeeded or failed, as `enter` does.
            leave(try enter())
            Pause.brief()
        }
    }

    /// Goes through the gate even while the store is being closed, for a thread that the closer
    /// waits for.
    @inline(__always)
    func enteringThoughShutting<R>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        let entry = gate.enter()
        defer { leave(entry) }
        return try body()
    }

    /// Goes through the gate even while the store is being closed, for work that cannot fail.
    @inline(__always)
    func enteringThoughShutting(_ body: () -> Void) {
        let entry = gate.enter()
        defer { leave(entry) }
        body()
    }
}

extension BullaError {
    /// The error for a use of the store after it was closed.
    static func closed(_ path: String) -> BullaError {
        BullaError(.closed, "use \(path): the store was closed")
    }
}
