internal import Glibc

/// Processor time that this process and its ended children have used.
enum CPUTime {
    static var seconds: Double {
        var own = rusage()
        var children = rusage()
        // SAFETY: each call writes the one structure that it is given.
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &own)
        unsafe getrusage(RUSAGE_CHILDREN.rawValue, &children)
        return [own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime]
            .reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// How many ticks `/proc/stat` counts in a second.
    static var ticksPerSecond: Double { Double(sysconf(Int32(_SC_CLK_TCK))) }
}
