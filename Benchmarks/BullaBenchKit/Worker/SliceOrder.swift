/// What a worker's threads do in the next slice.
package struct SliceOrder: Codable, Sendable {
    package var slice: Int
    /// For each thread, in the workload's own measure: reads, scans, commits.
    package var operations: Int

    package init(slice: Int, operations: Int) {
        self.slice = slice
        self.operations = operations
    }
}
