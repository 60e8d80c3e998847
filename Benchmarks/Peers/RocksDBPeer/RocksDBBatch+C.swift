internal import BullaBenchKit
internal import CRocksDB

/// The memory of a batch of reads, kept from one to the next.
@safe final class RocksDBBatch {
    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    private var keys: [UnsafePointer<CChar>?] = unsafe []
    private var counts: [Int] = []
    private var pins: [OpaquePointer?] = unsafe []
    private var failures: [UnsafeMutablePointer<CChar>?] = unsafe []

    /// Looks all keys up in one call, and lends what is found to the tally where the cache has it.
    func read(
        _ list: [[UInt8]], _ engine: RocksDBEngine, _ options: OpaquePointer, _ tally: inout Tally
    ) throws {
        layOut(list)
        // SAFETY: the addresses of keys are used while `bytes` is borrowed; each pin is taken and
        // each text of an error freed below, once.
        unsafe bytes.withUnsafeBytes { buffer in
            let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            for index in starts.indices {
                unsafe keys[index] = base.map { unsafe $0 + starts[index] }
            }
            unsafe rocksdb_batched_multi_get_cf(
                engine.database, options, engine.family, list.count, &keys, counts, &pins,
                &failures, false)
        }
        var error: BenchError?
        for index in list.indices {
            if let failure = unsafe failures[index] {
                unsafe error = RocksDB.error("get many", failure)
            }
            unsafe RocksDBPin.take(pins[index], &tally)
        }
        if let error { throw error }
    }

    /// Copies the keys one behind the other, where they have addresses.
    private func layOut(_ list: [[UInt8]]) {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        for key in list {
            starts.append(bytes.count)
            counts.append(key.count)
            bytes.append(contentsOf: key)
        }
        guard unsafe keys.count != list.count else { return }
        unsafe keys = Array(repeating: nil, count: list.count)
        unsafe pins = Array(repeating: nil, count: list.count)
        unsafe failures = Array(repeating: nil, count: list.count)
    }
}
