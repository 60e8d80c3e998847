import CBullaCount
import Glibc

/// One stretch of this thread's work.
enum Stretch {
    /// Does something so many times, and tells the least that it cost.
    static func run(_ name: String, times: Int = 1, _ body: () throws -> Void) rethrows {
        var (allocations, calls) = (UInt64.max, UInt64.max)
        for _ in 0..<times {
            var counts = bulla_counts()
            // SAFETY: what is counted is written by the calls, the last of them included.
            unsafe bulla_count_begin(&counts)
            try body()
            unsafe bulla_count_end(&counts)
            allocations = min(allocations, counts.allocations)
            calls = min(calls, counts.system_calls)
        }
        say("\(name).allocations", allocations)
        say("\(name).calls", calls)
    }

    /// Tells the cost of work whose cost is known, for the second time: the allocator asks the
    /// system for more when it is new.
    static func probe() {
        bulla_count_probe()
        run("probe") { bulla_count_probe() }
    }

    private static func say(_ name: String, _ number: UInt64) {
        if number != UInt64.max { print("\(name)=\(number)") }
    }
}

/// A program that is traced by the one that started it.
enum Tracing {
    /// Runs it to its end, and returns how it ended; below zero where nothing can be traced here.
    static func run(_ words: [String]) -> Int32 {
        var list = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe list[0] = unsafe strdup("/proc/self/exe")
        // SAFETY: the list ends with `nil`, and lives through the call.
        return unsafe bulla_count_traced(&list)
    }
}
