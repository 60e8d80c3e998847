/// A core workload of YCSB: which operations, in what shares, on which records.
///
/// - Source: YCSB 0.17, `workloads/workloada` to `workloadf` and `CoreWorkload`; Cooper et al.,
///   "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010, table 2.
package struct YCSBMix: Sendable {
    /// How records are drawn.
    package enum Choice: Sendable { case zipfian, latest }

    package var readShare = 0.0
    package var updateShare = 0.0
    package var insertShare = 0.0
    package var scanShare = 0.0
    package var readModifyWriteShare = 0.0
    package var choice = Choice.zipfian

    /// Update heavy.
    package static let a = YCSBMix(readShare: 0.5, updateShare: 0.5)
    /// Read mostly.
    package static let b = YCSBMix(readShare: 0.95, updateShare: 0.05)
    /// Read only.
    package static let c = YCSBMix(readShare: 1)
    /// Read latest.
    package static let d = YCSBMix(readShare: 0.95, insertShare: 0.05, choice: .latest)
    /// Short ranges.
    package static let e = YCSBMix(insertShare: 0.05, scanShare: 0.95)
    /// Read, modify, write.
    package static let f = YCSBMix(readShare: 0.5, readModifyWriteShare: 0.5)

    package var writes: Bool { updateShare + insertShare + readModifyWriteShare > 0 }

    /// The operation whose latency is told: the median over all of a mix would lie in the gap
    /// between the quick ones and those that wait for the disk, and jump from one to the other.
    package var toldOperation: String {
        if updateShare > 0 { return "update" }
        if readModifyWriteShare > 0 { return "read-modify-write" }
        return scanShare > 0 ? "scan" : "read"
    }
}
