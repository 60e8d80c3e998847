internal import BullaBenchKit
internal import CLMDB

/// One thread's use of an LMDB environment: a read transaction, kept and renewed.
@safe final class LMDBSession: EngineSession {
    private let engine: LMDBEngine
    private let reader: OpaquePointer

    init(_ engine: LMDBEngine) throws {
        self.engine = engine
        var handle: OpaquePointer?
        // SAFETY: the handle lives until deinit; the engine outlives its sessions.
        try unsafe LMDB.check(
            mdb_txn_begin(engine.environment, nil, UInt32(MDB_RDONLY), &handle), "begin to read")
        guard let reader = unsafe handle else { throw BenchError(.store, "LMDB: no reader") }
        unsafe mdb_txn_reset(reader)
        unsafe self.reader = reader
    }

    deinit {
        // SAFETY: the transaction was made in `init`, and is no longer used.
        unsafe mdb_txn_abort(reader)
    }

    func read(
        _ keys: ByteRun, _ range: Range<Int>, perSnapshot: Int, _ tally: inout Tally
    ) throws {
        try range.forEachPart(of: perSnapshot) { part in
            try reading {
                for index in part {
                    try keys.withBytes(index) { try unsafe look($0, reader, &tally) }
                    tally.didRead()
                }
            }
        }
    }

    func readBatch(
        _ keys: ByteRun, _ range: Range<Int>, arrays: [[UInt8]], _ tally: inout Tally
    ) throws {
        try reading {
            for index in range {
                try keys.withBytes(index) { try unsafe look($0, reader, &tally) }
            }
        }
    }

    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws {
        try reading {
            guard let start else { return try unsafe walk(nil, limit: limit) { tally.saw($0, $1) } }
            try keys.withBytes(start) { key in
                try unsafe walk(LMDBValue.of(key), limit: limit) { tally.saw($0, $1) }
            }
        }
    }

    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws {
        try reading { try unsafe walk(nil, limit: .max, body) }
    }

    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws {
        try unsafe commit { transaction in
            try keys.withBytes(key) { key in
                try values.withBytes(value) { try unsafe put(key, $0, transaction) }
            }
        }
    }

    func load(_ records: MappedRecords, _ range: Range<Int>) throws {
        try unsafe commit { transaction in
            for index in range {
                try records.withKey(index) { key in
                    try records.withValue(index) { try unsafe put(key, $0, transaction) }
                }
            }
        }
    }

    func update(
        _ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ tally: inout Tally
    ) throws {
        try unsafe commit { transaction in
            try keys.withBytes(key) { key in
                try unsafe look(key, transaction, &tally)
                try values.withBytes(value) { try unsafe put(key, $0, transaction) }
            }
        }
    }

    func delete(_ keys: ByteRun, _ key: Int) throws {
        try unsafe commit { transaction in
            try keys.withBytes(key) { key in
                // SAFETY: LMDB only reads the key, during the call.
                var key = unsafe LMDBValue.of(key)
                let code = unsafe mdb_del(transaction, engine.database, &key, nil)
                guard code != MDB_NOTFOUND else { return }
                try LMDB.check(code, "delete")
            }
        }
    }

    /// Runs `body` in one snapshot.
    @inline(__always)
    private func reading(_ body: () throws -> Void) throws {
        // SAFETY: the reader is renewed here and reset before its next use.
        try unsafe LMDB.check(mdb_txn_renew(reader), "renew the reader")
        defer { unsafe mdb_txn_reset(reader) }
        try body()
    }

    /// Runs `body` in a write transaction, and commits it; aborts it if `body` throws.
    @inline(__always)
    private func commit(_ body: (OpaquePointer) throws -> Void) throws {
        var handle: OpaquePointer?
        // SAFETY: the handle ends here, by commit or abort.
        try unsafe LMDB.check(
            mdb_txn_begin(engine.environment, nil, 0, &handle), "begin to write")
        guard let transaction = unsafe handle else { throw BenchError(.store, "LMDB: no writer") }
        do {
            try unsafe body(transaction)
        } catch {
            unsafe mdb_txn_abort(transaction)
            throw error
        }
        try unsafe LMDB.check(mdb_txn_commit(transaction), "commit")
    }

    @inline(__always)
    private func put(_ key: RawSpan, _ value: RawSpan, _ transaction: OpaquePointer) throws {
        // SAFETY: LMDB copies both before the call returns.
        var (key, value) = unsafe (LMDBValue.of(key), LMDBValue.of(value))
        try unsafe LMDB.check(mdb_put(transaction, engine.database, &key, &value, 0), "put")
    }

    /// Looks up one key, and lends the tally the value in place, in the map.
    @inline(__always)
    private func look(
        _ key: RawSpan, _ transaction: OpaquePointer, _ tally: inout Tally
    ) throws {
        // SAFETY: the value lies in the map until the transaction ends.
        var (key, value) = unsafe (LMDBValue.of(key), MDB_val())
        let code = unsafe mdb_get(transaction, engine.database, &key, &value)
        guard code != MDB_NOTFOUND else { return tally.missed() }
        try LMDB.check(code, "get")
        unsafe LMDBValue.lend(value) { tally.saw($0) }
    }

    /// Walks over up to `limit` records from `start` on; the reader must have been renewed.
    @inline(__always)
    private func walk(
        _ start: MDB_val?, limit: Int, _ body: (_ key: RawSpan, _ value: RawSpan) -> Void
    ) throws {
        var cursor: OpaquePointer?
        // SAFETY: the cursor ends here; its records lie in the map until the reader is reset.
        try unsafe LMDB.check(mdb_cursor_open(reader, engine.database, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        var (key, value) = unsafe (start ?? MDB_val(), MDB_val())
        var code = unsafe mdb_cursor_get(
            cursor, &key, &value, start == nil ? MDB_FIRST : MDB_SET_RANGE)
        var left = limit
        while code == 0 {
            unsafe LMDBValue.lend(key) { key in unsafe LMDBValue.lend(value) { body(key, $0) } }
            left -= 1
            guard left > 0 else { return }
            code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard code != MDB_NOTFOUND else { return }
        try LMDB.check(code, "scan")
    }
}

/// Bytes as LMDB's own type.
enum LMDBValue {
    /// Describes bytes for a call that only reads them, and only while the span lives.
    @inline(__always)
    static func of(_ bytes: RawSpan) -> MDB_val {
        // SAFETY: see above.
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe MDB_val(
                mv_size: buffer.count,
                mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        }
    }

    /// Lends the bytes of a value in the map; the transaction that found the value must still be
    /// open.
    @inline(__always)
    static func lend<R>(_ value: MDB_val, _ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: see above.
        let bytes = unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
        return try body(unsafe RawSpan(_unsafeBytes: bytes))
    }
}
