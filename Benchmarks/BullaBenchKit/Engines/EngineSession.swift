/// One thread's way to a store.
///
/// What is measured is called for many keys at a time, so that a call through the protocol is paid
/// for once and not for each record. Every read hands what it found to the tally, where it lies: an
/// engine that can lend its memory is not made to copy.
///
/// The time is marked by ``Tally/mark()``: ``read(_:_:_:)`` marks once for each key, the other
/// calls not at all, since the whole call is one step.
public protocol EngineSession: AnyObject {
    /// Reads the keys `range` one by one, all in one snapshot or the engine's like of it.
    ///
    /// Each key's mark comes just before the next one is looked for, the last one when the snapshot
    /// has ended: so the last read is charged with that.
    func read(_ keys: ByteRun, _ range: Range<Int>, _ tally: inout Tally) throws

    /// Reads all keys in one call of the engine, where it has such a call.
    func readBatch(_ keys: [[UInt8]], _ tally: inout Tally) throws

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
