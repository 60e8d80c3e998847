import Bulla
import Glibc

/// A child of a fork, which tries to use a store that its parent opened.
enum ForkedChild {
    private typealias Fork = @convention(c) () -> pid_t

    /// What the child was told: a hundred times the code for reading, and the one for writing.
    ///
    /// - Parameters:
    ///   - store: open here; the child tries all it can with it, and closes it.
    ///   - isStaying: whether the child lives until its input ends.
    ///   - mayOpenFiles: whether the child can open anything.
    static func tell(
        _ store: Store, isStaying: Bool, mayOpenFiles: Bool = true
    ) throws -> UInt64 {
        var ends: [Int32] = [-1, -1]
        // SAFETY: room for both ends.
        guard unsafe pipe(&ends) == 0, let symbol = unsafe dlsym(nil, "fork") else {
            throw WorkerFailure(exit: .badCommand, message: "there is no pipe, or no fork")
        }
        let limit = mayOpenFiles ? nil : FileCountLimit.lower()
        defer { limit?.restore() }
        // SAFETY: that is what fork(2) looks like; Swift hides it, for good reasons.
        let fork = unsafe unsafeBitCast(symbol, to: Fork.self)
        let child = fork()
        if child == 0 { run(store, isStaying, ends[1]) }
        close(ends[1])
        defer { close(ends[0]) }
        var told: UInt64 = 0
        // SAFETY: room for eight bytes.
        guard child > 0, unsafe read(ends[0], &told, 8) == 8 else {
            throw WorkerFailure(exit: .badCommand, message: "the child did not answer")
        }
        if !isStaying {
            var status: Int32 = 0
            // SAFETY: `status` is written by the call.
            _ = unsafe waitpid(child, &status, 0)
        }
        return told
    }

    private static func run(_ store: Store, _ isStaying: Bool, _ answer: Int32) -> Never {
        var told = code { try store.read { _ in } } * 100 + code { try store.write { _ in } }
        try? store.close()
        // SAFETY: eight bytes are there.
        _ = unsafe write(answer, &told, 8)
        if isStaying {
            // Only the input is kept: the test must see the end of the parent's output.
            close(STDOUT_FILENO)
            Line.awaitEnd()
        }
        _exit(0)
    }

    /// The code of the error, 0 where there is none.
    private static func code(_ body: () throws -> Void) -> UInt64 {
        do { try body() } catch {
            return (error as? BullaError).map { UInt64($0.code.number) } ?? 99
        }
        return 0
    }
}

/// How many files the process may have open, to be put back.
private struct FileCountLimit {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    private var limit = rlimit()

    /// Lowers it to none: what is open stays open.
    static func lower() -> FileCountLimit {
        var former = FileCountLimit()
        // SAFETY: both calls get a whole rlimit.
        _ = unsafe getrlimit(resource, &former.limit)
        var none = rlimit(rlim_cur: 0, rlim_max: former.limit.rlim_max)
        _ = unsafe setrlimit(resource, &none)
        return former
    }

    func restore() {
        var limit = limit
        // SAFETY: as above.
        _ = unsafe setrlimit(Self.resource, &limit)
    }
}
