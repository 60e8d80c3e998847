internal import Glibc

extension ResourceUse.Counts {
    /// Those of all threads of this process, and of no child.
    static func now() -> ResourceUse.Counts {
        var usage = rusage()
        // SAFETY: the call writes the one structure that it is given.
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var counts = Self()
        counts.userSeconds = seconds(usage.ru_utime)
        counts.systemSeconds = seconds(usage.ru_stime)
        counts.voluntarySwitchCount = usage.ru_nvcsw
        counts.involuntarySwitchCount = usage.ru_nivcsw
        counts.minorFaultCount = usage.ru_minflt
        counts.majorFaultCount = usage.ru_majflt
        return counts
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
