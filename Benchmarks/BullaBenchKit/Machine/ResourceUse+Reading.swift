/// Reading it from the files that proc(5) describes.
extension ResourceUse {
    /// What `getrusage` counts.
    package struct Counts: Sendable {
        package var userSeconds = 0.0
        package var systemSeconds = 0.0
        package var voluntarySwitchCount = 0
        package var involuntarySwitchCount = 0
        package var minorFaultCount = 0
        package var majorFaultCount = 0

        package init() {}
    }

    /// This process's, so far.
    package static func now() -> ResourceUse {
        ResourceUse(
            status: SystemText.contents("/proc/self/status") ?? "",
            rollup: SystemText.contents("/proc/self/smaps_rollup"),
            io: SystemText.contents("/proc/self/io"), counts: .now())
    }

    /// - Parameters:
    ///   - status: as `/proc/self/status`.
    ///   - rollup: as `/proc/self/smaps_rollup`; nil where there is none.
    ///   - io: as `/proc/self/io`; nil where there is none.
    package init(status: String, rollup: String?, io: String?, counts: Counts) {
        let status = Self.byteCounts(status)
        let rollup = rollup.map(Self.byteCounts)
        peakResidentByteCount = status["VmHWM"] ?? 0
        residentByteCount = status["VmRSS"] ?? 0
        proportionalByteCount = rollup.map { $0["Pss"] ?? 0 }
        sharedByteCount = rollup.map { Self.sum(of: "Shared_", in: $0) }
        privateByteCount = rollup.map { Self.sum(of: "Private_", in: $0) }
        userSeconds = counts.userSeconds
        systemSeconds = counts.systemSeconds
        writtenByteCount = io.flatMap { Self.byteCounts($0)["write_bytes"] }
        voluntarySwitchCount = counts.voluntarySwitchCount
        involuntarySwitchCount = counts.involuntarySwitchCount
        minorFaultCount = counts.minorFaultCount
        majorFaultCount = counts.majorFaultCount
    }

    /// The numbers of lines such as `VmRSS:  1708 kB` and `write_bytes: 0`, in bytes.
    private static func byteCounts(_ text: String) -> [Substring: Int] {
        var counts: [Substring: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count >= 2, words[0].hasSuffix(":"), let number = Int(words[1]) else {
                continue
            }
            counts[words[0].dropLast()] = words.last == "kB" ? number << 10 : number
        }
        return counts
    }

    private static func sum(of prefix: String, in counts: [Substring: Int]) -> Int {
        counts.reduce(0) { $1.key.hasPrefix(prefix) ? $0 + $1.value : $0 }
    }
}
