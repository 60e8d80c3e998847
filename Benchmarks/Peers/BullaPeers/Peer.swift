/// An engine that is measured: what it is asked to do is the same for all.
protocol Peer: AnyObject {
    var name: String { get }

    /// What was set, so that others can judge whether it is fair.
    var configuration: String { get }

    /// Puts records of `range` in one durable commit.
    func load(_ records: Records, _ range: Range<Int>) throws

    /// Reads every key in one snapshot.
    ///
    /// - Returns: the sum of a glance at each value, which must be the same for all peers.
    func read(_ keys: ByteRun) throws -> UInt64

    /// Reads every key in a snapshot of its own.
    func readEach(_ keys: ByteRun) throws -> UInt64

    /// Reads all records in order, in one snapshot.
    ///
    /// - Returns: the sum of a glance at each key and value.
    func scan() throws -> UInt64

    /// Puts each record in a durable commit of its own.
    func commitEach(_ keys: ByteRun, _ values: ByteRun) throws
}
