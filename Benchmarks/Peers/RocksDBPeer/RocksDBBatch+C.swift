internal import BullaBenchKit
internal import CRocksDB

/// The memory for a batch of reads, reused from one batch to the next.
@safe final class RocksDBBatch {
    private var room = 0
    private var starts = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: 0)
    private var counts = UnsafeMutablePointer<Int>.allocate(capacity: 0)
    private var pins = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 0)
    private var failures = UnsafeMutablePointer<RocksDB.Failure>.allocate(capacity: 0)

    deinit { free() }

    /// Looks up the keys in one call; lends the tally the values without copying them.
    func read(
        _ keys: ByteRun, _ range: Range<Int>, _ engine: RocksDBEngine, _ options: OpaquePointer,
        _ tally: inout Tally
    ) throws {
        if range.count > room { grow(to: range.count) }
        let (starts, counts) = unsafe (starts, counts)
        let (pins, failures) = unsafe (pins, failures)
        // SAFETY: the arrays have room for all keys. The keys stay where they are while their run
        // is borrowed, which is until after the call. Each pin is taken once, and the text of each
        // error is freed once.
        for (place, index) in range.enumerated() {
            keys.withBytes(index) { key in
                unsafe RocksDB.lend(key) { unsafe (starts[place], counts[place]) = ($0, $1) }
            }
        }
        unsafe rocksdb_batched_multi_get_cf(
            engine.database, options, engine.family, range.count, starts, counts, pins, failures,
            false)
        var error: BenchError?
        for place in 0..<range.count {
            if let failure = unsafe failures[place] {
                unsafe error = RocksDB.error("get many", failure)
            }
            unsafe RocksDBPin.take(pins[place], &tally)
        }
        if let error { throw error }
    }

    private func grow(to count: Int) {
        free()
        // SAFETY: the arrays are freed when they grow again, or in `deinit`; RocksDB fills `pins`
        // and `failures`.
        unsafe starts = .allocate(capacity: count)
        unsafe counts = .allocate(capacity: count)
        unsafe pins = .allocate(capacity: count)
        unsafe failures = .allocate(capacity: count)
        unsafe failures.initialize(repeating: nil, count: count)
        room = count
    }

    private func free() {
        // SAFETY: this object allocated the arrays, and no longer uses them; their elements are of
        // trivial types.
        unsafe starts.deallocate()
        unsafe counts.deallocate()
        unsafe pins.deallocate()
        unsafe failures.deallocate()
    }
}
