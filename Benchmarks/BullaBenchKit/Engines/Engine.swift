internal import BullaText

/// A store that can be measured, as opened by one worker process.
///
/// All engines get the same requests. An adapter does what the documentation of its engine
/// recommends for the workload, and reports its settings in ``facts``. Several threads use an
/// engine at once, each with a session of its own.
public protocol Engine: AnyObject, Sendable {
    /// What the engine reports about itself while its store is open.
    var facts: EngineFacts { get throws }

    /// What the engine has counted since it was opened; ``EngineCounters`` says in which processes.
    var counters: EngineCounters { get throws }

    /// A session for the calling thread; no other thread uses it.
    func session() throws -> any EngineSession

    /// Returns when no background work (compaction, flushes, checkpoints that are due) is left.
    ///
    /// The harness calls it after each slice that writes, because it measures another engine next.
    /// If the engine defers work until there is more of it, that work stays deferred.
    func rest() throws

    /// Finishes the work that commits have deferred (checkpoints, compaction, flushes).
    func drain() throws

    /// Closes the store so that its files can be copied; all sessions have ended by then.
    func close() throws
}

extension Engine {
    /// Does nothing: the default suits an engine that has no background work.
    public func rest() throws {}
}

/// One thread's access to a store.
///
/// Each call that reads or loads covers many records, which share its cost. The bytes that a read
/// finds are shown to the tally in place, so an engine that can lend its memory need not copy them.
///
/// ``read(_:_:perSnapshot:_:)`` calls ``Tally/didRead()`` after each key, so that the tally can
/// note the time. The other calls do not, because each of them is one step.
public protocol EngineSession: AnyObject {
    /// Whether the engine's call that reads many keys takes them as arrays.
    ///
    /// If it does not, the harness makes no arrays, because they would scatter the engine's memory.
    var takesKeyArrays: Bool { get }

    /// Reads the keys at `range` one by one, `perSnapshot` of them in each snapshot or equivalent.
    func read(
        _ keys: ByteRun, _ range: Range<Int>, perSnapshot: Int, _ tally: inout Tally) throws

    /// Reads the keys at `range` in one call of the engine, if it has such a call.
    ///
    /// - Parameter arrays: the same keys if ``takesKeyArrays`` is true; otherwise none.
    func readBatch(
        _ keys: ByteRun, _ range: Range<Int>, arrays: [[UInt8]], _ tally: inout Tally) throws

    /// Reads up to `limit` records in order, beginning with the first whose key is not below key
    /// `start`; if `start` is nil, reads all records.
    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws

    /// Puts a record, new or not, in a commit of its own, and returns when the commit is as durable
    /// as ``EngineSetup/isDurable`` says.
    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws

    /// Puts a file's records at `range` in one commit, which is as durable as that of a put.
    func load(_ records: MappedRecords, _ range: Range<Int>) throws

    /// Reads a record and puts its new value, in one transaction.
    func update(
        _ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ tally: inout Tally) throws

    /// Deletes a record, in one commit.
    func delete(_ keys: ByteRun, _ key: Int) throws

    /// Visits all records in order; this is not measured.
    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws
}

extension EngineSession {
    /// By default, the engine takes no arrays.
    public var takesKeyArrays: Bool { false }
}

/// What an engine reports about itself.
public struct EngineFacts: Codable, Sendable, Equatable {
    /// The engine and its version, such as `LMDB 0.9.24`.
    public var engine: String
    /// Whether all stored data is encrypted.
    public var isEncrypted: Bool
    /// The settings, so that readers can judge whether they are fair.
    public var configuration: String
    /// The bytes of the store's content when it was opened; nil if unknown.
    public var liveByteCount: Int?
    /// Names of files in the store's folder that must not be copied with it, such as locks.
    public var transientFiles: [String]

    /// The facts of an adapter's engine.
    public init(
        engine: String, isEncrypted: Bool, configuration: String, liveByteCount: Int? = nil,
        transientFiles: [String] = []
    ) {
        (self.engine, self.isEncrypted, self.configuration) = (engine, isEncrypted, configuration)
        (self.liveByteCount, self.transientFiles) = (liveByteCount, transientFiles)
    }
}

/// What an engine has counted of its own work.
public struct EngineCounters: Codable, Sendable, Equatable {
    /// Commits of all processes together.
    public var commits: UInt64?
    /// Flushes to the disk, of all processes together.
    public var flushes: UInt64?
    /// How many bytes this process wrote to the engine's files.
    public var byteCountWritten: UInt64?

    /// The counters of an engine; nil stands for what it does not count.
    public init(commits: UInt64? = nil, flushes: UInt64? = nil, byteCountWritten: UInt64? = nil) {
        (self.byteCountWritten, self.commits, self.flushes) = (byteCountWritten, commits, flushes)
    }

    /// The bytes that this process passed to `write` and similar calls (`wchar` of proc(5)).
    ///
    /// Bytes that it wrote to mapped memory are not among them.
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
