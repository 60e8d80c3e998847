internal import BullaBenchKit
internal import CBerkeleyDB

/// One thread's use of a Berkeley DB database.
///
/// It repeats transactions that the library aborts because of a deadlock.
@safe final class BerkeleySession: EngineSession {
    private let engine: BerkeleyEngine
    private let database: UnsafeMutablePointer<DB>
    private let value = BerkeleyBuffer(byteCount: 64 << 10)
    private let bulk = BerkeleyBuffer(byteCount: 256 << 10)

    init(_ engine: BerkeleyEngine) {
        self.engine = engine
        unsafe database = engine.database
    }

    /// Reads without a transaction if each snapshot has a single read, because such a read sees one
    /// snapshot anyway.
    func read(
        _ keys: ByteRun, _ range: Range<Int>, perSnapshot: Int, _ tally: inout Tally
    ) throws {
        if perSnapshot == 1 {
            for index in range {
                try keys.withBytes(index) { try unsafe look($0, nil, &tally) }
                tally.didRead()
            }
        } else {
            try range.forEachPart(of: perSnapshot) { part in
                try unsafe snapshot { transaction in
                    for index in part {
                        try keys.withBytes(index) { try unsafe look($0, transaction, &tally) }
                        tally.didRead()
                    }
                }
            }
        }
    }

    func readBatch(
        _ keys: ByteRun, _ range: Range<Int>, arrays: [[UInt8]], _ tally: inout Tally
    ) throws {
        try unsafe snapshot { transaction in
            for index in range {
                try keys.withBytes(index) { try unsafe look($0, transaction, &tally) }
            }
        }
    }

    /// Reads all records in bulk, as the guide recommends, or up to `limit` of them one by one.
    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws {
        guard let start else { return try walkAll { tally.saw($0, $1) } }
        try keys.withBytes(start) { key in try walk(key, limit: limit) { tally.saw($0, $1) } }
    }

    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws {
        try walkAll(body)
    }

    /// Puts a record; a change outside a transaction commits by itself.
    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws {
        try keys.withBytes(key) { key in
            try values.withBytes(value) { value in
                var code: Int32
                repeat { code = unsafe put(key, value, nil) } while Berkeley.isDeadlock(code)
                try Berkeley.check(code, "put")
            }
        }
    }

    /// Runs one load at a time, because two loads that lock thousands of pages would only make each
    /// other start again.
    func load(_ records: MappedRecords, _ range: Range<Int>) throws {
        try FolderLock.holding(engine.folder) {
            try unsafe commit { transaction in
                for index in range {
                    let code = records.withKey(index) { key in
                        records.withValue(index) { unsafe put(key, $0, transaction) }
                    }
                    guard code == 0 else { return code }
                }
                return 0
            }
        }
    }

    /// Reports the value to the tally only after the commit, so that failed attempts do not count.
    func update(
        _ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ tally: inout Tally
    ) throws {
        var found: DBT?
        try keys.withBytes(key) { key in
            try values.withBytes(value) { value in
                try unsafe commit { transaction in
                    let read = unsafe get(key, transaction, DB_RMW)
                    unsafe found = read.code == 0 ? read.found : nil
                    guard unsafe read.code == 0 || read.code == DB_NOTFOUND else {
                        return unsafe read.code
                    }
                    return unsafe put(key, value, transaction)
                }
            }
        }
        guard let found = unsafe found else { return tally.missed() }
        unsafe BerkeleyBuffer.lend(found) { tally.saw($0) }
    }

    func delete(_ keys: ByteRun, _ key: Int) throws {
        try keys.withBytes(key) { key in
            // SAFETY: the library only reads the key, during the call.
            var key = unsafe BerkeleyBuffer.of(key)
            var code: Int32
            repeat {
                code = unsafe database.pointee.del(database, nil, &key, 0)
            } while Berkeley.isDeadlock(code)
            guard code != DB_NOTFOUND else { return }
            try Berkeley.check(code, "delete")
        }
    }

    @inline(__always)
    private func put(
        _ key: RawSpan, _ value: RawSpan, _ transaction: UnsafeMutablePointer<DB_TXN>?
    ) -> Int32 {
        // SAFETY: the library copies both before the call returns.
        var (key, value) = unsafe (BerkeleyBuffer.of(key), BerkeleyBuffer.of(value))
        return unsafe database.pointee.put(database, transaction, &key, &value, 0)
    }

    @inline(__always)
    private func get(
        _ key: RawSpan, _ transaction: UnsafeMutablePointer<DB_TXN>?, _ flags: Int32
    ) -> (code: Int32, found: DBT) {
        // SAFETY: the library only reads the key, during the call.
        var key = unsafe BerkeleyBuffer.of(key)
        return unsafe value.fill { found in
            unsafe database.pointee.get(database, transaction, &key, &found, UInt32(flags))
        }
    }

    /// Looks up one key, and lends the value to the tally.
    @inline(__always)
    private func look(
        _ key: RawSpan, _ transaction: UnsafeMutablePointer<DB_TXN>?, _ tally: inout Tally
    ) throws {
        var read = unsafe get(key, transaction, 0)
        while unsafe transaction == nil && Berkeley.isDeadlock(read.code) {
            unsafe read = get(key, nil, 0)
        }
        guard unsafe read.code != DB_NOTFOUND else { return tally.missed() }
        try unsafe Berkeley.check(read.code, "get")
        unsafe BerkeleyBuffer.lend(read.found) { tally.saw($0) }
    }

    /// Runs `body` in one snapshot, which does not wait for writers.
    @inline(__always)
    private func snapshot(_ body: (UnsafeMutablePointer<DB_TXN>) throws -> Void) throws {
        let transaction = try unsafe begin(DB_TXN_SNAPSHOT)
        // SAFETY: the transaction ends here, by commit or abort.
        do {
            try unsafe body(transaction)
        } catch {
            _ = unsafe transaction.pointee.abort(transaction)
            throw error
        }
        try unsafe Berkeley.check(transaction.pointee.commit(transaction, 0), "end to read")
    }

    /// Runs a write transaction; if a call fails, aborts it and, after a deadlock, starts again.
    private func commit(_ body: (UnsafeMutablePointer<DB_TXN>) throws -> Int32) throws {
        while true {
            let transaction = try unsafe begin(0)
            // SAFETY: the transaction ends here, by commit or abort.
            let code = try unsafe body(transaction)
            if code == 0 {
                return try unsafe Berkeley.check(
                    transaction.pointee.commit(transaction, 0), "commit")
            }
            _ = unsafe transaction.pointee.abort(transaction)
            guard Berkeley.isDeadlock(code) else { throw Berkeley.error(code, "change") }
        }
    }

    private func begin(_ flags: Int32) throws -> UnsafeMutablePointer<DB_TXN> {
        let environment = unsafe engine.environment.handle
        var handle: UnsafeMutablePointer<DB_TXN>?
        // SAFETY: the environment is open; the caller ends the transaction.
        try unsafe Berkeley.check(
            environment.pointee.txn_begin(environment, nil, &handle, UInt32(flags)), "begin")
        guard let transaction = unsafe handle else {
            throw BenchError(.store, "Berkeley DB: no transaction")
        }
        return unsafe transaction
    }

    /// Walks over up to `limit` records from `start`, in a snapshot.
    private func walk(
        _ start: RawSpan, limit: Int, _ body: (_ key: RawSpan, _ value: RawSpan) -> Void
    ) throws {
        try unsafe withCursor { cursor in
            // SAFETY: what a cursor finds is valid until the cursor moves; the start is only read.
            var (key, value) = unsafe (BerkeleyBuffer.of(start), DBT())
            unsafe key.flags = 0
            var code = unsafe cursor.pointee.get(cursor, &key, &value, UInt32(DB_SET_RANGE))
            var left = limit
            while code == 0 {
                unsafe BerkeleyBuffer.lend(key) { key in
                    unsafe BerkeleyBuffer.lend(value) { body(key, $0) }
                }
                left -= 1
                guard left > 0 else { return 0 }
                code = unsafe cursor.pointee.get(cursor, &key, &value, UInt32(DB_NEXT))
            }
            return code
        }
    }

    /// Walks over all records in a snapshot, one full buffer at a time.
    @inline(__always)
    private func walkAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws {
        try unsafe withCursor { cursor in
            var step = DB_FIRST
            while true {
                // SAFETY: the records stay in the buffer until it is filled again.
                let (code, found) = unsafe bulk.fill { found in
                    var key = unsafe DBT()
                    return unsafe cursor.pointee.get(
                        cursor, &key, &found, UInt32(step | DB_MULTIPLE_KEY))
                }
                guard code == 0 else { return code }
                guard var records = unsafe BerkeleyBulk(found) else { return DB_NOTFOUND }
                while records.next(body) {}
                step = DB_NEXT
            }
        }
    }

    /// - Parameter body: returns the code of its last call to the library; reaching the end is no
    ///   error.
    @inline(__always)
    private func withCursor(_ body: (UnsafeMutablePointer<DBC>) throws -> Int32) throws {
        try unsafe snapshot { transaction in
            var handle: UnsafeMutablePointer<DBC>?
            // SAFETY: the cursor is closed here, before its transaction ends.
            try unsafe Berkeley.check(
                database.pointee.cursor(database, transaction, &handle, 0), "open a cursor")
            guard let cursor = unsafe handle else {
                throw BenchError(.store, "Berkeley DB: no cursor")
            }
            defer { _ = unsafe cursor.pointee.close(cursor) }
            let code = try unsafe body(cursor)
            guard code != DB_NOTFOUND else { return }
            try Berkeley.check(code, "scan")
        }
    }
}
