/// One thread's part of a workload, slice by slice.
///
///     prepare   lays out all that the slice will ask for; not timed
///     run       asks the store, and nothing else; timed
///     settle    checks what came back, and tells how the store must have changed; not timed
protocol Lane: AnyObject {
    /// - Parameter slice: its number; it decides what is drawn.
    func prepare(slice: Int, operations: Int)

    var stepCount: Int { get }

    /// Runs some steps, all at once or one by one in open loop. Each marks its end once.
    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws

    /// - Returns: what to add to the digest of the records for the digest of the store.
    /// - Throws: ``BenchExit/digest`` where the store gave what it must not.
    func settle(_ tally: borrowing Tally) throws -> Digest

    /// What the slice did, in the workload's unit.
    var work: Int { get }

    /// Whether step `index` of the slice is one whose latency is told.
    func isTold(_ index: Int) -> Bool
}

extension Lane { func isTold(_ index: Int) -> Bool { true } }
