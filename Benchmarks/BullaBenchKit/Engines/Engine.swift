internal import BullaText

/// A store that can be measured, as one worker process has it open.
///
/// What stands behind the protocol is asked the same as all others: an adapter does what its
/// engine's own documentation recommends for the workload, and says in ``facts`` what it set. It is
/// used by several threads at once, each with a session of its own.
public protocol Engine: AnyObject, Sendable {
    /// What the engine turned out to be; asked for when its store is open.
    var facts: EngineFacts { get throws }

    /// What the engine has counted since it was opened, in this process or all of them.
    var counters: EngineCounters { get throws }

    /// A session for the calling thread, which alone uses it.
    func session() throws -> any EngineSession

    /// Returns when nothing goes on in the background any more: compaction, flushes, what is due.
    ///
    /// Called after each slice that writes: another engine is measured next. What is put off until
    /// there is more of it stays put off.
    func rest() throws

    /// Finishes what commits have put off, and returns when it is done: checkpoints, compaction,
    /// flushes.
    func drain() throws

    /// Closes the store so that its files can be copied; sessions have ended by then.
    func close() throws
}

extension Engine {
    /// By default, nothing goes on in the background.
    public func rest() throws {}
}

/// One thread's way to a store.
///
/// What is measured is called for many keys at a time, so that a call through the protocol is paid
/// for once and not for each record. Every read hands what it found to the tally, where it lies: an
/// engine that can lend its memory is not made to copy.
///
/// The time is marked by the tally: ``read(_:_:perSnapshot:_:)`` calls ``Tally/didRead()`` after
/// each key, the other calls mark nothing, since the whole call is one step.
public protocol EngineSession: AnyObject {
    /// Whether its call for many keys takes arrays; made in vain, they would scatter its memory.
    var takesKeyArrays: Bool { get }

    /// Reads the keys `range` one by one, so many in each snapshot or the engine's like of it.
    func read(
        _ keys: ByteRun, _ range: Range<Int>, perSnapshot: Int, _ tally: inout Tally) throws

    /// Reads the keys `range` in one call of the engine, where it has such a call.
    ///
    /// - Parameter arrays: the same keys, where ``takesKeyArrays`` says so; else none.
    func readBatch(
        _ keys: ByteRun, _ range: Range<Int>, arrays: [[UInt8]], _ tally: inout Tally) throws

    /// Reads up to `limit` records in order, from the first whose key is not below key `start`; all
    /// there are for nil.
    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws

    /// Puts a record, whether it is there or not, in a commit of its own, and returns when that is
    /// as durable as ``EngineSetup/isDurable`` asks.
    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws

    /// Puts the records `range` of a file in one commit, likewise.
    func load(_ records: MappedRecords, _ range: Range<Int>) throws

    /// Reads a record and puts its new value, in one transaction.
    func update(
        _ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ tally: inout Tally) throws

    /// Deletes a record, in one commit.
    func delete(_ keys: ByteRun, _ key: Int) throws

    /// Looks at all records in order; not measured.
    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws
}

extension EngineSession {
    /// By default, none are taken.
    public var takesKeyArrays: Bool { false }
}

/// What an engine turned out to be.
public struct EngineFacts: Codable, Sendable, Equatable {
    /// The engine and its version: `LMDB 0.9.24`.
    public var engine: String
    /// Whether all that is stored is encrypted.
    public var isEncrypted: Bool
    /// What was set, so that others can judge whether it is fair.
    public var configuration: String
    /// What the store's content takes, in bytes, when it was opened; nil where that is not known.
    public var liveByteCount: Int?
    /// Names of files in the store's folder that must not be copied with it: locks and the like.
    public var transientFiles: [String]

    /// What an adapter tells.
    public init(
        engine: String, isEncrypted: Bool, configuration: String, liveByteCount: Int? = nil,
        transientFiles: [String] = []
    ) {
        (self.engine, self.isEncrypted, self.configuration) = (engine, isEncrypted, configuration)
        (self.liveByteCount, self.transientFiles) = (liveByteCount, transientFiles)
    }
}

/// What an engine counts of its own work, where it counts it.
public struct EngineCounters: Codable, Sendable, Equatable {
    /// Commits of all processes together.
    public var commits: UInt64?
    /// Flushes to the disk, likewise.
    public var flushes: UInt64?
    /// What this process wrote to the engine's files, in bytes.
    public var byteCountWritten: UInt64?

    /// Nil stands for what the engine does not count.
    public init(commits: UInt64? = nil, flushes: UInt64? = nil, byteCountWritten: UInt64? = nil) {
        (self.byteCountWritten, self.commits, self.flushes) = (byteCountWritten, commits, flushes)
    }

    /// What this process gave to `write` and its kin (`proc(5)`, `wchar`), mapped memory aside.
    public static var writtenByProcess: UInt64? {
        SystemText.linux.field("wchar", in: "/proc/self/io").flatMap { UInt64($0) }
    }

    package func since(_ start: Self) -> Self {
        let less = { (now: UInt64?, before: UInt64?) -> UInt64? in
            guard let now, let before else { return nil }
            return now >= before ? now - before : 0
        }
        return Self(
            commits: less(commits, start.commits), flushes: less(flushes, start.flushes),
            byteCountWritten: less(byteCountWritten, start.byteCountWritten))
    }
}
