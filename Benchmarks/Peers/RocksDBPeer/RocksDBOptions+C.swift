internal import BullaBenchKit
internal import CRocksDB

/// The options of a database.
@safe final class RocksDBOptions {
    static let text =
        "blocks 16 KiB with LZ4, ZSTD in the last level, bloom filters of 10 bits, cache for "
        + "blocks, indexes and filters, dynamic level sizes, 6 background jobs, bytes_per_sync "
        + "1 MiB, the rest as by default"

    private let options: OpaquePointer?

    init(cacheByteLimit: Int) {
        // SAFETY: the options live until deinit.
        unsafe options = rocksdb_options_create()
        unsafe rocksdb_options_set_create_if_missing(options, 1)
        unsafe rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1)
        unsafe rocksdb_options_set_bytes_per_sync(options, 1 << 20)
        unsafe rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
        unsafe rocksdb_options_set_bottommost_compression(
            options, Int32(rocksdb_zstd_compression))
        unsafe rocksdb_options_set_max_background_jobs(options, 6)
        setTable(cacheByteLimit)
    }

    deinit {
        // SAFETY: the options were made in `init`; a database has its own copy.
        unsafe rocksdb_options_destroy(options)
    }

    /// Opens a database, and its only column family.
    func open(_ path: String) throws -> (OpaquePointer, OpaquePointer) {
        var family: OpaquePointer?
        // SAFETY: the names and options live across the call, which copies them.
        let database = try unsafe "default".withCString { name in
            var names: [UnsafePointer<CChar>?] = unsafe [name]
            var families: [OpaquePointer?] = unsafe [options]
            return try unsafe RocksDB.call("open \(path)") {
                unsafe rocksdb_optimistictransactiondb_open_column_families(
                    options, path, 1, &names, &families, &family, &$0)
            }
        }
        guard let database = unsafe database, let family = unsafe family else {
            throw BenchError(.store, "RocksDB: open \(path): no handle")
        }
        return unsafe (database, family)
    }

    private func setTable(_ cacheByteLimit: Int) {
        let table = unsafe rocksdb_block_based_options_create()
        let cache = unsafe rocksdb_cache_create_lru(cacheByteLimit)
        // SAFETY: the table's options own the filter and share the cache; `options` copies them.
        unsafe rocksdb_block_based_options_set_block_cache(table, cache)
        unsafe rocksdb_block_based_options_set_filter_policy(
            table, rocksdb_filterpolicy_create_bloom_full(10))
        unsafe rocksdb_block_based_options_set_block_size(table, 16 << 10)
        unsafe rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1)
        unsafe rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(table, 1)
        unsafe rocksdb_options_set_block_based_table_factory(options, table)
        unsafe rocksdb_block_based_options_destroy(table)
        unsafe rocksdb_cache_destroy(cache)
    }
}
