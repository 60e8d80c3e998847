/// Where a lane's operations come from.
protocol OperationSource: AnyObject {
    /// Lays out the next `count` operations.
    func fill(_ list: inout OperationList, slice: Int, count: Int)

    /// How what was laid out since the last call changes the digest of all records.
    func takeChange() -> Digest

    /// Whether the latency of such an operation is told.
    func isTold(_ operation: Operation) -> Bool
}

extension OperationSource {
    func isTold(_ operation: Operation) -> Bool { true }
}
