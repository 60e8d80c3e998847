/// What a worker's threads do in the next slice.
package struct SliceOrder: Codable, Sendable {
    package var slice: Int
    /// For each thread, in the workload's own measure: reads, scans, commits.
    package var operations: Int
    /// So many threads of the whole run, from its first, do one more: what a number of operations
    /// that was asked for leaves over.
    package var further: Int

    package init(slice: Int, operations: Int, further: Int = 0) {
        self.slice = slice
        self.operations = operations
        self.further = further
    }
}
