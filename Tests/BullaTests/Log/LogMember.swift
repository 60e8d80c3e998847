import Bulla
import BullaMemory
import BullaTestSupport
import Synchronization

/// A stand-in for the state of checkpoints; a test sets its position.
final class StandingStart: LogStart {
    private let place = Mutex(LogSite.beginning)

    var position: LogPosition {
        get { place.withLock { $0 } }
        set { place.withLock { $0 = newValue } }
    }

    func record() throws(BullaError) -> LogPosition { position }
    func keyEpoch() throws(BullaError) -> UInt64 { 1 }
    func lock() throws(BullaError) -> Bool { false }
    func unlock() {}
    func oldestSequence() throws(BullaError) -> UInt64? { position.place.sequence }
}

/// One process's part in a log, with memtables that index the log's content.
struct LogMember {
    let log: SharedLog
    let memtables: LogMemtables

    init(
        _ site: LogSite, _ storage: any StorageSystem, _ start: StandingStart
    ) throws {
        let parts = try site.parts(storage)
        memtables = try LogMemtables(
            PageFormat(pageByteCount: 4096), parts.log, at: start.position)
        let joined = try SharedLog.join(parts, start, memtables)
        log = try joined ?? SharedLog.begin(parts, start, memtables)
    }

    init(_ log: SharedLog, _ memtables: LogMemtables) {
        (self.log, self.memtables) = (log, memtables)
    }

    /// Makes a new log, which only this process uses.
    init(alone path: String) throws {
        let site = try LogSite(path, .gcm)
        try site.make(SystemStorage())
        try self.init(site, SystemStorage(), StandingStart())
    }

    /// Commits one value, or, for `nil`, the deletion of the key.
    @discardableResult
    func put(_ value: [UInt8]?, forKey key: [UInt8], in tree: UInt64) throws -> UInt64 {
        try commit { edit, turn in
            try key.withView { key in
                guard let value else { return try edit.apply(.delete(tree: tree, key: key), &turn) }
                try value.withView { value in
                    try edit.apply(.put(tree: tree, key: key, value: value), &turn)
                }
            }
        }.commit
    }

    /// Commits the changes of `body`.
    ///
    /// - Returns: the new end of the log.
    /// - Throws: `full` if the log has no room until a checkpoint is made.
    func commit(_ body: (inout LogEdit, inout LogTurn) throws -> Void) throws -> LogPosition {
        var turn = try log.beginCommit()
        var edit = try memtables.edit()
        try body(&edit, &turn)
        var published: LogEdit? = consume edit
        let end = try turn.commit { draft, position in
            if let edit = published.take() { memtables.publish(edit, draft, at: position) }
        }
        guard let end else { throw BullaError(.full, "the log waits for a checkpoint") }
        return end
    }

    /// What the process knows up to a commit, or up to the newest one if `commit` is `nil`.
    ///
    /// - Throws: ``Missing`` if the memtables have dropped their version as of that commit.
    func view(at commit: UInt64? = nil) throws -> LogView {
        guard let view = try memtables.hold(at: commit) else { throw Missing() }
        return view
    }

    struct Missing: Error {}
}

extension LogEdit {
    /// Applies an operation to the memtable, and appends it to the draft.
    mutating func apply(_ operation: LogOperation, _ turn: inout LogTurn) throws {
        try apply(operation)
        try turn.append(operation)
    }

    mutating func put(_ value: [UInt8], forKey key: [UInt8], in tree: UInt64) throws {
        try key.withView { key in
            try value.withView { try apply(.put(tree: tree, key: key, value: $0)) }
        }
    }

    func value(forKey key: [UInt8], in tree: UInt64) -> [UInt8]? {
        pair.change(of: key, in: tree) ?? nil
    }
}

extension LogView {
    func value(forKey key: [UInt8], in tree: UInt64) -> [UInt8]? {
        pair.change(of: key, in: tree) ?? nil
    }
}

extension MemtablePair {
    /// The change of a key: a value, or an inner `nil` for a deletion; `nil` if there is no change.
    func change(of key: [UInt8], in tree: UInt64) -> [UInt8]?? {
        key.withView { key in
            switch change(of: key, in: tree) {
            case nil: .none
            case .put(let value): .some(value.copied())
            case .tombstone: .some(nil)
            }
        }
    }
}
