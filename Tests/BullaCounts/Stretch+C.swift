import CBullaCount
import Glibc

/// A stretch of this thread's work, whose cost is counted.
enum Stretch {
    /// Calls `body` `times` times, and reports the lowest of its costs.
    static func run(_ name: String, times: Int = 1, _ body: () throws -> Void) rethrows {
        var (allocations, calls, references) = (UInt64.max, UInt64.max, UInt64.max)
        for _ in 0..<times {
            var counts = bulla_counts()
            // SAFETY: `counts` outlives both calls, which write it.
            unsafe bulla_count_begin(&counts)
            try body()
            unsafe bulla_count_end(&counts)
            allocations = min(allocations, counts.allocations)
            calls = min(calls, counts.system_calls)
            references = min(references, counts.references)
        }
        say("\(name).allocations", allocations)
        say("\(name).calls", calls)
        say("\(name).references", references)
    }

    /// Reports work of known cost.
    ///
    /// The first call is not counted, because a new allocator asks the system for more memory.
    static func probe() {
        bulla_count_probe()
        run("probe") { bulla_count_probe() }
    }

    private static func say(_ name: String, _ number: UInt64) {
        if number != UInt64.max { print("\(name)=\(number)") }
    }
}

/// A program that is traced by the process that started it.
enum Tracing {
    /// Runs the program to its end, and returns its status; negative if it cannot be traced here.
    static func run(_ words: [String]) -> Int32 {
        var list = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe list[0] = unsafe strdup("/proc/self/exe")
        // SAFETY: the list ends with `nil`, and lives through the call.
        return unsafe bulla_count_traced(&list)
    }
}
