internal import BullaBenchKit
internal import CRocksDB

/// One thread's use of a RocksDB database: its options, and a transaction that is reused.
@safe final class RocksDBSession: EngineSession {
    private let engine: RocksDBEngine
    private let reading: OpaquePointer
    private let writing: OpaquePointer
    private let beginning: OpaquePointer
    private var transaction: OpaquePointer?
    private let batch = RocksDBBatch()

    init(_ engine: RocksDBEngine, isDurable: Bool) {
        self.engine = engine
        // SAFETY: the options live until deinit; making them does not fail.
        unsafe reading = rocksdb_readoptions_create()
        unsafe writing = rocksdb_writeoptions_create()
        unsafe beginning = rocksdb_optimistictransaction_options_create()
        unsafe rocksdb_writeoptions_set_sync(writing, isDurable ? 1 : 0)
    }

    deinit {
        // SAFETY: this session made them all, and no longer uses them.
        if let transaction = unsafe transaction { unsafe rocksdb_transaction_destroy(transaction) }
        unsafe rocksdb_optimistictransaction_options_destroy(beginning)
        unsafe rocksdb_writeoptions_destroy(writing)
        unsafe rocksdb_readoptions_destroy(reading)
    }

    /// Makes no snapshot for a single read, because such a read sees one snapshot anyway.
    func read(
        _ keys: ByteRun, _ range: Range<Int>, perSnapshot: Int, _ tally: inout Tally
    ) throws {
        if perSnapshot == 1 {
            for index in range {
                try keys.withBytes(index) { try look($0, &tally) }
                tally.didRead()
            }
        } else {
            try range.forEachPart(of: perSnapshot) { part in
                try snapshot {
                    for index in part {
                        try keys.withBytes(index) { try look($0, &tally) }
                        tally.didRead()
                    }
                }
            }
        }
    }

    /// Looks up the keys in one call, for which RocksDB itself takes a snapshot.
    func readBatch(
        _ keys: ByteRun, _ range: Range<Int>, arrays: [[UInt8]], _ tally: inout Tally
    ) throws {
        try unsafe batch.read(keys, range, engine, reading, &tally)
    }

    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws {
        guard let start else {
            return try unsafe walk(limit: limit, { unsafe rocksdb_iter_seek_to_first($0) }) {
                tally.saw($0, $1)
            }
        }
        try keys.withBytes(start) { key in
            try unsafe walk(
                limit: limit,
                { iterator in
                    unsafe RocksDB.lend(key) { unsafe rocksdb_iter_seek(iterator, $0, $1) }
                }
            ) { tally.saw($0, $1) }
        }
    }

    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws {
        try unsafe walk(limit: .max, { unsafe rocksdb_iter_seek_to_first($0) }, body)
    }

    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws {
        try keys.withBytes(key) { key in
            try values.withBytes(value) { value in
                // SAFETY: RocksDB copies both before the call returns.
                try unsafe RocksDB.lend(key) { key, keyCount in
                    try unsafe RocksDB.lend(value) { value, valueCount in
                        try unsafe RocksDB.call("put") {
                            unsafe rocksdb_put(
                                engine.database, writing, key, keyCount, value, valueCount, &$0)
                        }
                    }
                }
            }
        }
    }

    func load(_ records: MappedRecords, _ range: Range<Int>) throws {
        let batch = unsafe rocksdb_writebatch_create()
        // SAFETY: the batch copies what is put into it, and is destroyed here.
        defer { unsafe rocksdb_writebatch_destroy(batch) }
        for index in range {
            records.withKey(index) { key in
                records.withValue(index) { value in
                    unsafe RocksDB.lend(key) { key, keyCount in
                        unsafe RocksDB.lend(value) { value, valueCount in
                            unsafe rocksdb_writebatch_put(batch, key, keyCount, value, valueCount)
                        }
                    }
                }
            }
        }
        try unsafe RocksDB.call("write a batch") {
            unsafe rocksdb_write(engine.database, writing, batch, &$0)
        }
        engine.noteLoad()
    }

    /// Tries again if another writer changed the record between the read and the commit.
    func update(
        _ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ tally: inout Tally
    ) throws {
        try keys.withBytes(key) { key in
            try values.withBytes(value) { value in
                while try !tryUpdate(key, value, &tally) {}
            }
        }
    }

    func delete(_ keys: ByteRun, _ key: Int) throws {
        try keys.withBytes(key) { key in
            try unsafe RocksDB.lend(key) { key, count in
                try unsafe RocksDB.call("delete") {
                    unsafe rocksdb_delete(engine.database, writing, key, count, &$0)
                }
            }
        }
    }

    /// Calls `body`, whose reads see one snapshot.
    @inline(__always)
    private func snapshot(_ body: () throws -> Void) throws {
        // SAFETY: the snapshot is released here, when no read can use it any more.
        let snapshot = unsafe rocksdb_create_snapshot(engine.database)
        unsafe rocksdb_readoptions_set_snapshot(reading, snapshot)
        defer {
            unsafe rocksdb_readoptions_set_snapshot(reading, nil)
            unsafe rocksdb_release_snapshot(engine.database, snapshot)
        }
        try body()
    }

    /// Looks up one key, and lends the tally the value in place, in the cache.
    @inline(__always)
    private func look(_ key: RawSpan, _ tally: inout Tally) throws {
        let found = try unsafe RocksDB.lend(key) { key, count in
            try unsafe RocksDB.call("get") {
                unsafe rocksdb_get_pinned(engine.database, reading, key, count, &$0)
            }
        }
        unsafe RocksDBPin.take(found, &tally)
    }

    /// - Returns: false if another commit has changed the record meanwhile.
    private func tryUpdate(
        _ key: RawSpan, _ value: RawSpan, _ tally: inout Tally
    ) throws -> Bool {
        // SAFETY: the value stays pinned until it is released below. The tally gets it only after
        // the commit, so that failed attempts do not count.
        unsafe transaction = rocksdb_optimistictransaction_begin(
            engine.transactions, writing, beginning, transaction)
        let found = try unsafe RocksDB.lend(key) { key, count in
            try unsafe RocksDB.call("get for an update") {
                unsafe rocksdb_transaction_get_pinned_for_update(
                    transaction, reading, key, count, 1, &$0)
            }
        }
        var failure: RocksDB.Failure = nil
        unsafe RocksDB.lend(key) { key, keyCount in
            unsafe RocksDB.lend(value) { value, valueCount in
                unsafe rocksdb_transaction_put(
                    transaction, key, keyCount, value, valueCount, &failure)
            }
        }
        if unsafe failure == nil { unsafe rocksdb_transaction_commit(transaction, &failure) }
        guard let failure = unsafe failure else {
            unsafe RocksDBPin.take(found, &tally)
            return true
        }
        if let found = unsafe found { unsafe rocksdb_pinnableslice_destroy(found) }
        let error = unsafe RocksDB.error("update", failure)
        guard error.message.contains("busy") || error.message.contains("Try again") else {
            throw error
        }
        return false
    }

    /// Walks over up to `limit` records, in the snapshot that an iterator takes.
    @inline(__always)
    private func walk(
        limit: Int, _ seek: (OpaquePointer) -> Void,
        _ body: (_ key: RawSpan, _ value: RawSpan) -> Void
    ) throws {
        guard let iterator = unsafe rocksdb_create_iterator(engine.database, reading) else {
            throw BenchError(.store, "RocksDB: no iterator")
        }
        // SAFETY: a record stays in place until the iterator moves on; the iterator is destroyed
        // here.
        defer { unsafe rocksdb_iter_destroy(iterator) }
        unsafe seek(iterator)
        var left = limit
        while unsafe rocksdb_iter_valid(iterator) != 0 {
            var (keyCount, valueCount) = (0, 0)
            let key = unsafe rocksdb_iter_key(iterator, &keyCount)
            let value = unsafe rocksdb_iter_value(iterator, &valueCount)
            unsafe RocksDB.span(key, keyCount) { key in
                unsafe RocksDB.span(value, valueCount) { body(key, $0) }
            }
            left -= 1
            guard left > 0 else { return }
            unsafe rocksdb_iter_next(iterator)
        }
        try unsafe RocksDB.call("scan") { unsafe rocksdb_iter_get_error(iterator, &$0) }
    }
}

/// A value that RocksDB keeps in place until it is released.
enum RocksDBPin {
    /// Lends the value to the tally and releases it; nil counts as a miss.
    @inline(__always)
    static func take(_ pin: OpaquePointer?, _ tally: inout Tally) {
        guard let pin = unsafe pin else { return tally.missed() }
        // SAFETY: the value stays where it is until the pin is destroyed.
        defer { unsafe rocksdb_pinnableslice_destroy(pin) }
        var count = 0
        let start = unsafe rocksdb_pinnableslice_value(pin, &count)
        unsafe RocksDB.span(start, count) { tally.saw($0) }
    }
}
