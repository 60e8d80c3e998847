/// What a process uses: how much memory now, and how much of everything else so far.
///
/// Nil is what the kernel does not tell.
package struct ResourceUse: Codable, Equatable, Sendable {
    /// The most memory that the process has ever had.
    package var peakResidentByteCount: Int
    package var residentByteCount: Int
    /// Each page divided by how many processes have it mapped: what can be added up.
    package var proportionalByteCount: Int?
    /// Of pages that other processes have mapped too.
    package var sharedByteCount: Int?
    package var privateByteCount: Int?

    package var userSeconds: Double
    package var systemSeconds: Double
    /// What was handed to the disk, or will be: not what went into the page cache and was deleted.
    package var writtenByteCount: Int?
    package var voluntarySwitchCount: Int
    package var involuntarySwitchCount: Int
    package var minorFaultCount: Int
    package var majorFaultCount: Int

    /// Nothing at all, to add to.
    package static let nothing = ResourceUse(
        status: "", rollup: "", io: "write_bytes: 0", counts: Counts())

    package var cpuSeconds: Double { userSeconds + systemSeconds }

    /// What was used since `earlier`, a reading of the same process.
    ///
    /// What is counted is subtracted. Memory is as it is now, and its peak is that of the process's
    /// whole life: the kernel knows no other.
    package func since(_ earlier: ResourceUse) -> ResourceUse {
        var use = self
        use.userSeconds -= earlier.userSeconds
        use.systemSeconds -= earlier.systemSeconds
        use.writtenByteCount = Self.both(writtenByteCount, earlier.writtenByteCount, -)
        use.voluntarySwitchCount -= earlier.voluntarySwitchCount
        use.involuntarySwitchCount -= earlier.involuntarySwitchCount
        use.minorFaultCount -= earlier.minorFaultCount
        use.majorFaultCount -= earlier.majorFaultCount
        return use
    }

    /// What several processes use together.
    ///
    /// The peaks, which need not have come at one time, add up to a bound. Memory that processes
    /// share is counted once for each, except in ``proportionalByteCount``. What one of the
    /// processes does not tell is not known of all.
    package static func together(_ uses: [ResourceUse]) -> ResourceUse {
        guard let first = uses.first else { return .nothing }
        return uses.dropFirst().reduce(first, sum)
    }

    private static func sum(_ a: ResourceUse, _ b: ResourceUse) -> ResourceUse {
        var use = a
        use.peakResidentByteCount += b.peakResidentByteCount
        use.residentByteCount += b.residentByteCount
        use.proportionalByteCount = both(a.proportionalByteCount, b.proportionalByteCount, +)
        use.sharedByteCount = both(a.sharedByteCount, b.sharedByteCount, +)
        use.privateByteCount = both(a.privateByteCount, b.privateByteCount, +)
        use.userSeconds += b.userSeconds
        use.systemSeconds += b.systemSeconds
        use.writtenByteCount = both(a.writtenByteCount, b.writtenByteCount, +)
        use.voluntarySwitchCount += b.voluntarySwitchCount
        use.involuntarySwitchCount += b.involuntarySwitchCount
        use.minorFaultCount += b.minorFaultCount
        use.majorFaultCount += b.majorFaultCount
        return use
    }

    private static func both(_ a: Int?, _ b: Int?, _ join: (Int, Int) -> Int) -> Int? {
        guard let a, let b else { return nil }
        return join(a, b)
    }
}
