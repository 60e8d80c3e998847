/// How many records a scan reads: 1 to 100, each number equally likely.
///
/// - Source: YCSB 0.17, `workloads/workloade`: `maxscanlength=100`,
///   `scanlengthdistribution=uniform`; the least is 1.
package enum ScanLength {
    package static let limit = 100

    package static func next(_ random: inout Random) -> Int {
        1 + random.below(limit)
    }
}
