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

    /// Closes the store so that its files can be copied; sessions have ended by then.
    func close() throws
}
