/// One thread's part of a workload, slice by slice.
///
///     prepare   lays out all that the slice will request; not timed
///     run       sends the store its requests, and does nothing else; timed
///     settle    checks the results, and returns how the store must have changed; not timed
protocol Lane: AnyObject {
    /// - Parameter slice: the slice's number, from which its random numbers derive.
    func prepare(slice: Int, operations: Int)

    var stepCount: Int { get }

    /// Runs some steps (all or, in an open loop, one), and marks the end of each once.
    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws

    /// - Returns: how the slice has changed the digest of all records.
    /// - Throws: ``BenchExit/digest`` if the store returned wrong records.
    func settle(_ tally: borrowing Tally) throws -> Digest

    /// The work of the slice, in the workload's unit.
    var work: Int { get }

    /// Whether the latency of step `index` of the slice is reported.
    func isTold(_ index: Int) -> Bool
}

extension Lane { func isTold(_ index: Int) -> Bool { true } }
