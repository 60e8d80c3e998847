internal import Bulla
internal import CBare
internal import Dispatch
internal import Foundation

/// Bulla, bare: its public API without the harness.
@safe struct BareBulla {
    private let work: UnsafeMutablePointer<bare_work>
    private var store: Store
    private let name = Array("records".utf8)

    /// Obeys the commands of the input up to its end, on a thread other than the main one.
    static func run() {
        // The harness works on such threads, too. The C library gives them memory from other arenas
        // than the main thread's.
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try obey() } catch { unsafe bare_fail("obey", "\(error)") }
            done.signal()
        }
        done.wait()
    }

    private static func obey() throws {
        // SAFETY: the work is never freed; the arguments are the program's own.
        var program = try unsafe Self(bare_begin(CommandLine.argc, CommandLine.unsafeArgv))
        try program.doWork()
    }

    private init(_ work: UnsafeMutablePointer<bare_work>) throws {
        unsafe self.work = unsafe work
        store = try unsafe Self.open(work)
    }

    private static func open(_ work: UnsafeMutablePointer<bare_work>) throws -> Store {
        var options = StoreOptions()
        options.cacheByteLimit = unsafe work.pointee.cache_bytes
        let digits = unsafe work.pointee.key.map { unsafe Array(String(cString: $0).utf8) }
        let folder = unsafe String(cString: work.pointee.folder)
        return try Store.open(
            at: folder + "/store.bulla", key: digits.map { try StoreKey(bytes(ofHex: $0)) },
            options: options)
    }

    private static func bytes(ofHex digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count - 1, by: 2).map { place in
            UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) ?? 0
        }
    }

    private mutating func doWork() throws {
        let row = unsafe work.pointee.row
        let reopens = unsafe bare_reopens(work)
        if row != BARE_LOAD && !reopens { try scan() }
        // As in the harness, a slice's arrays are freed only after those of the next slice are
        // made. Otherwise the new arrays would get the same memory in the opposite order, in which
        // the processor reads it more slowly.
        var batches: [[[UInt8]]] = []
        while unsafe bare_next(work) {
            if reopens {
                try store.close()
                store = try unsafe Self.open(work)
            }
            if row == BARE_BATCHED_READ { batches = keyArrays() }
            let start = bare_now()
            try run(row, batches)
            let nanoseconds = bare_now() - start
            if row == BARE_SMALL_COMMIT_RELAXED {
                try store.waitUntilDurable(store.read(visibility: .published) { $0.commit })
            }
            unsafe bare_end(work, nanoseconds)
        }
        try store.close()
    }

    private func run(_ row: bare_row, _ batches: [[[UInt8]]]) throws {
        let count = unsafe work.pointee.keys.count
        switch row {
        case BARE_LOAD: try load()
        case BARE_POINT_READ, BARE_FIRST_READ:
            for first in stride(from: 0, to: count, by: Int(BARE_READS_PER_SNAPSHOT)) {
                try read(first..<min(first + Int(BARE_READS_PER_SNAPSHOT), count))
            }
        case BARE_POINT_READ_SNAPSHOT: for index in 0..<count { try read(index..<index + 1) }
        case BARE_POINT_READ_REFRESH: try readRefreshing(count)
        case BARE_BATCHED_READ: for batch in batches { try read(batch) }
        case BARE_SCAN, BARE_COLD_SCAN:
            for _ in unsafe 0..<work.pointee.operations { try scan() }
        case BARE_SCAN_RUNS: for _ in unsafe 0..<work.pointee.operations { try scanRuns() }
        default:
            let isDurable = unsafe work.pointee.durable
            let durability = isDurable ? Durability.full : .relaxed(within: .seconds(1))
            for index in 0..<count { try put(index, durability) }
        }
    }

    /// The arguments for `withValues(forKeys:)`, which are made before the clock starts.
    private func keyArrays() -> [[[UInt8]]] {
        let count = unsafe work.pointee.keys.count
        return stride(from: 0, to: count, by: Int(BARE_READS_PER_BATCH)).map { first in
            (first..<first + Int(BARE_READS_PER_BATCH)).map { index in
                unsafe lend(bare_key(work, index)) { [UInt8](copying: $0) }
            }
        }
    }

    private func read(_ keys: Range<Int>) throws {
        try store.read { snapshot in
            let tree = try name.withBytes { try snapshot.tree(named: $0) }
            for index in keys {
                _ = try unsafe lend(bare_key(work, index)) { key in
                    try snapshot.withValue(forKey: key, in: tree) { saw($0) }
                }
            }
        }
    }

    /// Moves a snapshot to the newest commit before each read, just as the program for LMDB renews
    /// its transaction.
    private func readRefreshing(_ count: Int) throws {
        var snapshot = try store.makeSnapshot()
        var tree = try name.withBytes { try snapshot.tree(named: $0) }
        for index in 0..<count {
            if try snapshot.refresh() {
                tree = try name.withBytes { try snapshot.tree(named: $0) }
            }
            _ = try unsafe lend(bare_key(work, index)) { key in
                try snapshot.withValue(forKey: key, in: tree) { saw($0) }
            }
        }
    }

    private func read(_ batch: [[UInt8]]) throws {
        try store.read { snapshot in
            let tree = try name.withBytes { try snapshot.tree(named: $0) }
            try snapshot.withValues(forKeys: batch, in: tree) { _, value in
                if let value { saw(value) }
            }
        }
    }

    private func scan() throws {
        try store.read { snapshot in
            let tree = try name.withBytes { try snapshot.tree(named: $0) }
            try snapshot.scan(tree) { key, value in
                saw(key, value)
                return .next
            }
        }
    }

    private func scanRuns() throws {
        try store.read { snapshot in
            let tree = try name.withBytes { try snapshot.tree(named: $0) }
            try snapshot.scanRuns(tree) { bytes, entries in
                for index in entries.indices {
                    let key = bytes.extracting(entries[index].key)
                    if let value = entries[index].value {
                        saw(key, bytes.extracting(value))
                    } else {
                        try snapshot.withValue(forKey: key, in: tree) { saw(key, $0) }
                    }
                }
                return .next
            }
        }
    }

    @inline(__always)
    private func saw(_ key: RawSpan, _ value: RawSpan) {
        // SAFETY: the lent bytes are read only during the call.
        unsafe key.withUnsafeBytes { key in
            unsafe value.withUnsafeBytes { value in
                unsafe bare_saw_record(
                    work, key.baseAddress, key.count, value.baseAddress, value.count)
            }
        }
    }

    private func load() throws {
        let start = unsafe work.pointee.first_record
        let wanted = unsafe work.pointee.operations * Int(BARE_RECORDS_PER_COMMIT)
        let end = unsafe min(start + wanted, work.pointee.record_count)
        for first in stride(from: start, to: end, by: Int(BARE_RECORDS_PER_COMMIT)) {
            try store.write { transaction in
                let tree = try transaction.openOrCreateTree(named: name)
                for index in first..<min(first + Int(BARE_RECORDS_PER_COMMIT), end) {
                    try unsafe lend(bare_record_key(work, index)) { key in
                        try unsafe lend(bare_record_value(work, index)) {
                            try transaction.put($0, forKey: key, in: tree)
                        }
                    }
                }
            }
        }
    }

    private func put(_ index: Int, _ durability: Durability) throws {
        try store.write(durability: durability) { transaction in
            let tree = try name.withBytes { try transaction.tree(named: $0) }
            try unsafe lend(bare_key(work, index)) { key in
                try unsafe lend(bare_value(work, index)) {
                    try transaction.put($0, forKey: key, in: tree)
                }
            }
        }
    }

    @inline(__always)
    private func saw(_ value: RawSpan) {
        // SAFETY: the lent bytes are read only during the call.
        unsafe value.withUnsafeBytes { unsafe bare_saw(work, $0.baseAddress, $0.count) }
    }

    @inline(__always)
    private func lend<R>(_ bytes: bare_bytes, _ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: records stay mapped, and a slice's requests stay in memory while the slice runs.
        try body(unsafe RawSpan(_unsafeStart: bytes.at, byteCount: bytes.count))
    }
}
