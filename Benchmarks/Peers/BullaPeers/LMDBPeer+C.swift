internal import CLMDB

/// LMDB, as its documentation recommends: a map large enough, one database, every commit synced,
/// read transactions kept and renewed.
@safe final class LMDBPeer: Peer {
    let name = "LMDB"
    let configuration: String
    private let environment: OpaquePointer
    private let reader: OpaquePointer
    private let database: MDB_dbi

    init(path: String, mapByteCount: Int) throws {
        var environment: OpaquePointer?
        // SAFETY: the handles made here live until deinit, which closes them in the opposite order.
        try unsafe Self.check(mdb_env_create(&environment), "create an environment")
        guard let environment = unsafe environment else {
            throw BenchError(.store, "LMDB: no handle")
        }
        try unsafe Self.check(mdb_env_set_mapsize(environment, mapByteCount), "set the map's size")
        try unsafe Self.check(
            mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o600), "open \(path)")
        database = try unsafe Self.openDatabase(environment)
        var reader: OpaquePointer?
        try unsafe Self.check(
            mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reader), "begin to read")
        guard let reader = unsafe reader else { throw BenchError(.store, "LMDB: no reader") }
        unsafe mdb_txn_reset(reader)
        unsafe self.environment = environment
        unsafe self.reader = reader
        configuration =
            unsafe "\(String(cString: mdb_version(nil, nil, nil))), "
            + "map \(Format.bytes(mapByteCount)), synced commits, read transaction renewed"
    }

    deinit {
        // SAFETY: made in init, and used by nobody any more.
        unsafe mdb_txn_abort(reader)
        unsafe mdb_env_close(environment)
    }

    func load(_ records: Records, _ range: Range<Int>) throws {
        try unsafe commit { transaction in
            for index in range {
                try unsafe put(records.keys, records.values, index, transaction)
            }
        }
    }

    func read(_ keys: ByteRun) throws -> UInt64 {
        // SAFETY: the reader is renewed here and reset before it is used again.
        try unsafe Self.check(mdb_txn_renew(reader), "renew the reader")
        defer { unsafe mdb_txn_reset(reader) }
        var sum: UInt64 = 0
        for index in 0..<keys.count { sum &+= try glance(keys, index) }
        return sum
    }

    func readEach(_ keys: ByteRun) throws -> UInt64 {
        var sum: UInt64 = 0
        for index in 0..<keys.count {
            // SAFETY: as in `read`.
            try unsafe Self.check(mdb_txn_renew(reader), "renew the reader")
            sum &+= try glance(keys, index)
            unsafe mdb_txn_reset(reader)
        }
        return sum
    }

    func scan() throws -> UInt64 {
        // SAFETY: the cursor lives inside the renewed reader, and is closed before that is reset.
        try unsafe Self.check(mdb_txn_renew(reader), "renew the reader")
        defer { unsafe mdb_txn_reset(reader) }
        var cursor: OpaquePointer?
        try unsafe Self.check(mdb_cursor_open(reader, database, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        var (key, value) = unsafe (MDB_val(), MDB_val())
        var sum: UInt64 = 0
        while unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
            unsafe sum &+= Self.glance(key) &+ Self.glance(value)
        }
        return sum
    }

    func commitEach(_ keys: ByteRun, _ values: ByteRun) throws {
        for index in 0..<keys.count {
            try unsafe commit { transaction in try unsafe put(keys, values, index, transaction) }
        }
    }

    /// One write transaction: committed, or aborted where `body` throws.
    private func commit(_ body: (OpaquePointer) throws -> Void) throws {
        var handle: OpaquePointer?
        // SAFETY: the handle ends here, by commit or abort.
        try unsafe Self.check(mdb_txn_begin(environment, nil, 0, &handle), "begin to write")
        guard let transaction = unsafe handle else { throw BenchError(.store, "LMDB: no writer") }
        do {
            try unsafe body(transaction)
        } catch {
            unsafe mdb_txn_abort(transaction)
            throw error
        }
        try unsafe Self.check(mdb_txn_commit(transaction), "commit")
    }

    @inline(__always)
    private func put(
        _ keys: ByteRun, _ values: ByteRun, _ index: Int, _ transaction: OpaquePointer
    ) throws {
        try keys.withBytes(index) { key in
            try values.withBytes(index) { value in
                // SAFETY: LMDB copies both before the call returns.
                var (key, value) = unsafe (Self.value(key), Self.value(value))
                try unsafe Self.check(mdb_put(transaction, database, &key, &value, 0), "put")
            }
        }
    }

    @inline(__always)
    private func glance(_ keys: ByteRun, _ index: Int) throws -> UInt64 {
        try keys.withBytes(index) { key in
            // SAFETY: what is found lies in the map until the reader is reset.
            var (key, value) = unsafe (Self.value(key), MDB_val())
            let code = unsafe mdb_get(reader, database, &key, &value)
            guard code != MDB_NOTFOUND else { return 0 }
            try Self.check(code, "get")
            return unsafe Self.glance(value)
        }
    }

    @inline(__always)
    private static func glance(_ value: MDB_val) -> UInt64 {
        // SAFETY: the callers' transaction, in whose map the bytes lie, has not ended.
        let bytes = unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
        return RecordHash.glance(unsafe RawSpan(_unsafeBytes: bytes))
    }

    @inline(__always)
    private static func value(_ bytes: RawSpan) -> MDB_val {
        // SAFETY: the callers hand it to a call that does not write through it.
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe MDB_val(
                mv_size: buffer.count,
                mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        }
    }

    private static func openDatabase(_ environment: OpaquePointer) throws -> MDB_dbi {
        var database = MDB_dbi()
        var transaction: OpaquePointer?
        // SAFETY: the transaction ends here; the number of the database outlives it.
        try unsafe check(mdb_txn_begin(environment, nil, 0, &transaction), "begin to write")
        try unsafe check(mdb_dbi_open(transaction, nil, 0, &database), "open the database")
        try unsafe check(mdb_txn_commit(transaction), "commit")
        return database
    }

    private static func check(_ code: Int32, _ attempt: String) throws {
        guard code != 0 else { return }
        // SAFETY: the string is LMDB's own, and constant.
        throw BenchError(.store, unsafe "LMDB: \(attempt): \(String(cString: mdb_strerror(code)))")
    }
}
