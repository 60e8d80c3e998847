import Bulla
import BullaTestSupport
import Glibc

/// A forked child that tries to use a store which its parent opened.
enum ForkedChild {
    private typealias Fork = @convention(c) () -> pid_t

    /// The child's error codes: a hundred times the code that a read gives, plus the code that a
    /// write gives.
    ///
    /// The attempts to follow changes must give the same code as the read.
    ///
    /// - Parameters:
    ///   - store: open in the parent; the child tries everything with it, and closes it.
    ///   - isStaying: whether the child lives until its input ends.
    ///   - mayOpenFiles: whether the child can open anything.
    static func tell(
        _ store: Store, isStaying: Bool, mayOpenFiles: Bool = true
    ) throws -> UInt64 {
        let answer = try Answer()
        let limit = mayOpenFiles ? nil : FileCountLimit.lower()
        defer { limit?.restore() }
        let changes = try store.changes()
        let child = try fork()
        guard child == 0 else { return try answer.take(from: child, isStaying: isStaying) }
        let reading = [
            code { try store.read { _ in } }, code { _ = try changes.next() },
            code { _ = try store.changes() },
        ]
        let told =
            (Set(reading).count == 1 ? reading[0] : 99) * 100 + code { try store.write { _ in } }
        try? store.close()
        answer.give(told)
        if isStaying {
            // Keep only the input open, because the test must see the end of the parent's output.
            close(STDOUT_FILENO)
            Line.awaitEnd()
        }
        _exit(0)
    }

    /// The code for a child that is forked in a part of a transaction, and continues that part; the
    /// parent finishes the transaction.
    ///
    /// At the fork, some pages of a large value are not written yet.
    static func tellInSavepoint(_ store: Store) throws -> UInt64 {
        let answer = try Answer()
        var child: pid_t = -1
        let result = Result {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "forked")
                try change.withSavepoint { change in
                    try change.put("before", forKey: "key", in: tree)
                    try change.put(largeValue, forKey: "large", in: tree)
                    child = try fork()
                    try change.put("after", forKey: "key", in: tree)
                }
            }
        }
        guard child == 0 else {
            try result.get()
            return try answer.take(from: child, isStaying: false)
        }
        answer.give(code { try result.get() })
        _exit(0)
    }

    /// The codes for a child that opens the store: a hundred times the code with its parent's key,
    /// plus the one with a key of its own.
    ///
    /// - Parameters:
    ///   - own: makes a key in the child.
    ///   - open: opens the store with the given key, or with the parent's key if none is given.
    static func tellOpening(
        own: () throws -> StoreKey, _ open: (StoreKey?) throws -> Void
    ) throws -> UInt64 {
        let answer = try Answer()
        let child = try fork()
        guard child == 0 else { return try answer.take(from: child, isStaying: false) }
        answer.give(code { try open(nil) } * 100 + code { try open(try own()) })
        _exit(0)
    }

    /// The code for a child that is forked during a scan of every record, and continues that scan.
    ///
    /// At the fork, other threads of its parent open the next leaves.
    static func tellInScan(_ store: Store) throws -> UInt64 {
        let answer = try Answer()
        var (child, count): (pid_t, Int) = (-1, 0)
        let result = Result {
            try store.read { snapshot in
                let tree = try snapshot.tree(named: "scanned")
                try snapshot.scan(tree) { _, _ in
                    count += 1
                    if count == scanCount / 2 { child = try fork() }
                    return .next
                }
            }
        }
        guard child == 0 else {
            try result.get()
            guard count == scanCount else { return 0 }
            return try answer.take(from: child, isStaying: false)
        }
        answer.give(code { try result.get() })
        _exit(0)
    }

    /// Fills the tree that ``tellInScan(_:)`` scans.
    static func fillForScan(_ store: Store) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "scanned")
            for number in 0..<scanCount {
                try change.put([UInt8](repeating: 1, count: 100), forKey: "\(number)", in: tree)
            }
        }
    }

    private static let scanCount = 60_000

    private static let largeValue = [UInt8](repeating: 7, count: 1_300_000)

    private static func fork() throws -> pid_t {
        guard let symbol = unsafe dlsym(nil, "fork") else {
            throw WorkerFailure(exit: .badCommand, message: "there is no fork")
        }
        // SAFETY: this is the signature in fork(2), which Swift hides for good reasons.
        return unsafe unsafeBitCast(symbol, to: Fork.self)()
    }

    /// A pipe from the child to its parent.
    private struct Answer {
        private let reading: Int32
        private let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            // SAFETY: there is room for both ends.
            guard unsafe pipe(&ends) == 0 else {
                throw WorkerFailure(exit: .badCommand, message: "there is no pipe")
            }
            (reading, writing) = (ends[0], ends[1])
        }

        func give(_ number: UInt64) {
            var number = number
            // SAFETY: eight bytes are there.
            _ = unsafe write(writing, &number, 8)
        }

        func take(from child: pid_t, isStaying: Bool) throws -> UInt64 {
            close(writing)
            defer { close(reading) }
            var told: UInt64 = 0
            // SAFETY: there is room for eight bytes.
            guard child > 0, unsafe read(reading, &told, 8) == 8 else {
                throw WorkerFailure(exit: .badCommand, message: "the child did not answer")
            }
            if !isStaying {
                var status: Int32 = 0
                // SAFETY: the call writes `status`.
                _ = unsafe waitpid(child, &status, 0)
            }
            return told
        }
    }

    /// The code of the error; 0 if there is none.
    private static func code(_ body: () throws -> Void) -> UInt64 {
        do { try body() } catch {
            return (error as? BullaError).map { UInt64($0.code.number) } ?? 99
        }
        return 0
    }
}

/// The limit of open files, to be restored later.
private struct FileCountLimit {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    private var limit = rlimit()

    /// Lowers the limit to zero; open files stay open.
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
