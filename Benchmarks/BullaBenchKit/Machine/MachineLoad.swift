/// What the machine has done so far, for everybody.
struct MachineLoad: Sendable {
    /// Seconds, over all cores, since the machine started.
    let total: Double
    let busy: Double
    let stolen: Double
    /// Seconds of this run's own processes.
    let own: Double

    static func now() -> MachineLoad {
        let line = SystemText.lines("/proc/stat").first ?? ""
        return MachineLoad(
            cpuLine: line, ticksPerSecond: CPUTime.ticksPerSecond, own: CPUTime.seconds)
    }

    /// - Parameter cpuLine: user, nice, system, idle, iowait, irq, softirq, steal; see
    ///   proc_stat(5).
    init(cpuLine: Substring, ticksPerSecond: Double, own: Double) {
        let ticks = cpuLine.split(separator: " ").dropFirst().prefix(8).map { Double($0) ?? 0 }
        let seconds = ticks.map { $0 / ticksPerSecond }
        let idle = seconds.count == 8 ? seconds[3] + seconds[4] : 0
        total = seconds.reduce(0, +)
        stolen = seconds.count == 8 ? seconds[7] : 0
        busy = total - idle - stolen
        self.own = own
    }
}
