/* RocksDB, bare. */
#include "bare.h"

#include <rocksdb/c.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    rocksdb_optimistictransactiondb_t *transactions;
    rocksdb_t *database;
    rocksdb_column_family_handle_t *family;
    rocksdb_readoptions_t *reading;
    rocksdb_writeoptions_t *writing;
} rocks;

static void check(const char *failure, const char *attempt) {
    if (failure != NULL) bare_fail(attempt, failure);
}

static void tick(void *store) {
    char *failure = NULL;
    rocksdb_flush_wal(((rocks *)store)->database, 1, &failure);
    check(failure, "flush the log");
}

static rocksdb_options_t *options_of(const bare_work *work) {
    rocksdb_options_t *options = rocksdb_options_create();
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    rocksdb_cache_t *cache = rocksdb_cache_create_lru(work->cache_bytes);
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1);
    rocksdb_options_set_bytes_per_sync(options, 1 << 20);
    rocksdb_options_set_compression(options, rocksdb_lz4_compression);
    rocksdb_options_set_bottommost_compression(options, rocksdb_zstd_compression);
    rocksdb_options_set_max_background_jobs(options, 6);
    rocksdb_block_based_options_set_block_cache(table, cache);
    rocksdb_block_based_options_set_filter_policy(table,
                                                  rocksdb_filterpolicy_create_bloom_full(10));
    rocksdb_block_based_options_set_block_size(table, 16 << 10);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1);
    rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(table, 1);
    rocksdb_options_set_block_based_table_factory(options, table);
    rocksdb_block_based_options_destroy(table);
    rocksdb_cache_destroy(cache);
    return options;
}

static void *open_store(const bare_work *work) {
    rocks *self = calloc(1, sizeof *self);
    rocksdb_options_t *options = options_of(work);
    const rocksdb_options_t *families = options;
    const char *name = "default";
    char *failure = NULL;
    self->transactions = rocksdb_optimistictransactiondb_open_column_families(
        options, work->folder, 1, &name, &families, &self->family, &failure);
    check(failure, "open");
    rocksdb_options_destroy(options);
    self->database = rocksdb_optimistictransactiondb_get_base_db(self->transactions);
    self->reading = rocksdb_readoptions_create();
    self->writing = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(self->writing, work->durable);
    return self;
}

/* Writes out the memtables, and waits until nothing is left to compact. */
static void settle(const rocks *self) {
    static const char *const signs[] = {
        "rocksdb.mem-table-flush-pending", "rocksdb.num-running-flushes",
        "rocksdb.compaction-pending", "rocksdb.num-running-compactions"};
    rocksdb_flushoptions_t *options = rocksdb_flushoptions_create();
    char *failure = NULL;
    bool busy = true;
    rocksdb_flush(self->database, options, &failure);
    check(failure, "flush");
    rocksdb_flushoptions_destroy(options);
    while (busy) {
        busy = false;
        usleep(10000);
        for (int i = 0; i < 4; i++) {
            uint64_t number = 0;
            rocksdb_property_int(self->database, signs[i], &number);
            busy = busy || number != 0;
        }
    }
}

static void close_store(void *store, const bare_work *work) {
    rocks *self = store;
    if (work->row == BARE_LOAD) settle(self);
    rocksdb_readoptions_destroy(self->reading);
    rocksdb_writeoptions_destroy(self->writing);
    rocksdb_column_family_handle_destroy(self->family);
    rocksdb_optimistictransactiondb_close_base_db(self->database);
    rocksdb_optimistictransactiondb_close(self->transactions);
    free(self);
}

static void take(bare_work *work, rocksdb_pinnableslice_t *pin) {
    size_t count;
    if (pin == NULL) bare_fail("get", "no such key");
    const char *value = rocksdb_pinnableslice_value(pin, &count);
    bare_saw(work, value, count);
    rocksdb_pinnableslice_destroy(pin);
}

static void look(const rocks *self, bare_work *work, size_t i) {
    char *failure = NULL;
    bare_bytes key = bare_key(work, i);
    rocksdb_pinnableslice_t *pin = rocksdb_get_pinned(self->database, self->reading,
                                                      (const char *)key.at, key.count, &failure);
    check(failure, "get");
    take(work, pin);
}

static void read_keys(void *store, bare_work *work, size_t first, size_t end) {
    rocks *self = store;
    if (work->row == BARE_POINT_READ_SNAPSHOT) return look(self, work, first);
    const rocksdb_snapshot_t *snapshot = rocksdb_create_snapshot(self->database);
    rocksdb_readoptions_set_snapshot(self->reading, snapshot);
    for (size_t i = first; i < end; i++)
        look(self, work, i);
    rocksdb_readoptions_set_snapshot(self->reading, NULL);
    rocksdb_release_snapshot(self->database, snapshot);
}

static void read_batch(void *store, bare_work *work, size_t first, size_t end) {
    rocks *self = store;
    const char *keys[BARE_READS_PER_BATCH];
    size_t counts[BARE_READS_PER_BATCH];
    rocksdb_pinnableslice_t *pins[BARE_READS_PER_BATCH];
    char *failures[BARE_READS_PER_BATCH] = {NULL};
    for (size_t i = first; i < end; i++) {
        bare_bytes key = bare_key(work, i);
        keys[i - first] = (const char *)key.at;
        counts[i - first] = key.count;
    }
    rocksdb_batched_multi_get_cf(self->database, self->reading, self->family, end - first, keys,
                                 counts, pins, failures, false);
    for (size_t i = 0; i < end - first; i++) {
        check(failures[i], "get many");
        take(work, pins[i]);
    }
}

static void scan(void *store, bare_work *work) {
    rocks *self = store;
    char *failure = NULL;
    rocksdb_iterator_t *iterator = rocksdb_create_iterator(self->database, self->reading);
    for (rocksdb_iter_seek_to_first(iterator); rocksdb_iter_valid(iterator);
         rocksdb_iter_next(iterator)) {
        size_t key_count, count;
        const char *key = rocksdb_iter_key(iterator, &key_count);
        const char *value = rocksdb_iter_value(iterator, &count);
        bare_saw_record(work, key, key_count, value, count);
    }
    rocksdb_iter_get_error(iterator, &failure);
    check(failure, "scan");
    rocksdb_iter_destroy(iterator);
}

static void load(void *store, bare_work *work, size_t first, size_t end) {
    rocks *self = store;
    char *failure = NULL;
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    for (size_t i = first; i < end; i++) {
        bare_bytes key = bare_record_key(work, i), value = bare_record_value(work, i);
        rocksdb_writebatch_put(batch, (const char *)key.at, key.count, (const char *)value.at,
                               value.count);
    }
    rocksdb_write(self->database, self->writing, batch, &failure);
    check(failure, "write a batch");
    rocksdb_writebatch_destroy(batch);
}

static void put(void *store, bare_work *work, size_t i) {
    rocks *self = store;
    char *failure = NULL;
    bare_bytes key = bare_key(work, i), value = bare_value(work, i);
    rocksdb_put(self->database, self->writing, (const char *)key.at, key.count,
                (const char *)value.at, value.count, &failure);
    check(failure, "put");
}

int main(int argc, char **argv) {
    bare_engine engine = {.open = open_store,
                          .close = close_store,
                          .tick = tick,
                          .read = read_keys,
                          .read_batch = read_batch,
                          .scan = scan,
                          .load = load,
                          .put = put};
    return bare_main(argc, argv, &engine);
}
