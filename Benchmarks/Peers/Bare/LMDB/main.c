/* LMDB, bare. */
#include "bare.h"

#include <lmdb.h>
#include <stdlib.h>

typedef struct {
    MDB_env *environment;
    MDB_dbi database;
    MDB_txn *reader;
} lmdb;

static void check(int code, const char *attempt) {
    if (code != 0) bare_fail(attempt, mdb_strerror(code));
}

static void tick(void *store) {
    check(mdb_env_sync(((lmdb *)store)->environment, 1), "flush");
}

static void rest(void *store, const bare_work *work) {
    if (!work->durable) tick(store);
}

static void *open_store(const bare_work *work) {
    lmdb *self = calloc(1, sizeof *self);
    MDB_txn *transaction;
    size_t gibibytes = 16 * ((work->payload_bytes >> 30) + 1);
    unsigned flags = MDB_NOTLS | (work->durable ? 0 : MDB_NOSYNC);
    check(mdb_env_create(&self->environment), "create an environment");
    check(mdb_env_set_mapsize(self->environment, (gibibytes > 64 ? gibibytes : 64) << 30), "map");
    check(mdb_env_open(self->environment, work->folder, flags, 0600), "open");
    check(mdb_txn_begin(self->environment, NULL, MDB_RDONLY, &transaction), "begin");
    check(mdb_dbi_open(transaction, NULL, 0, &self->database), "open the database");
    check(mdb_txn_commit(transaction), "commit");
    check(mdb_txn_begin(self->environment, NULL, MDB_RDONLY, &self->reader), "begin");
    mdb_txn_reset(self->reader);
    return self;
}

static void close_store(void *store, const bare_work *work) {
    lmdb *self = store;
    mdb_txn_abort(self->reader);
    if (!work->durable) tick(self);
    mdb_env_close(self->environment);
    free(self);
}

static MDB_val value_of(bare_bytes bytes) {
    return (MDB_val){bytes.count, (void *)bytes.at};
}

static void read_keys(void *store, bare_work *work, size_t first, size_t end) {
    lmdb *self = store;
    check(mdb_txn_renew(self->reader), "renew");
    for (size_t i = first; i < end; i++) {
        MDB_val key = value_of(bare_key(work, i)), value;
        check(mdb_get(self->reader, self->database, &key, &value), "get");
        bare_saw(work, value.mv_data, value.mv_size);
    }
    mdb_txn_reset(self->reader);
}

static void scan(void *store, bare_work *work) {
    lmdb *self = store;
    MDB_cursor *cursor;
    MDB_val key, value;
    int code;
    check(mdb_txn_renew(self->reader), "renew");
    check(mdb_cursor_open(self->reader, self->database, &cursor), "open a cursor");
    while ((code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0)
        bare_saw_record(work, key.mv_data, key.mv_size, value.mv_data, value.mv_size);
    if (code != MDB_NOTFOUND) check(code, "scan");
    mdb_cursor_close(cursor);
    mdb_txn_reset(self->reader);
}

static void load(void *store, bare_work *work, size_t first, size_t end) {
    lmdb *self = store;
    MDB_txn *transaction;
    check(mdb_txn_begin(self->environment, NULL, 0, &transaction), "begin");
    for (size_t i = first; i < end; i++) {
        MDB_val key = value_of(bare_record_key(work, i));
        MDB_val value = value_of(bare_record_value(work, i));
        check(mdb_put(transaction, self->database, &key, &value, 0), "put");
    }
    check(mdb_txn_commit(transaction), "commit");
}

static void put(void *store, bare_work *work, size_t i) {
    lmdb *self = store;
    MDB_txn *transaction;
    MDB_val key = value_of(bare_key(work, i));
    MDB_val value = value_of(bare_value(work, i));
    check(mdb_txn_begin(self->environment, NULL, 0, &transaction), "begin");
    check(mdb_put(transaction, self->database, &key, &value, 0), "put");
    check(mdb_txn_commit(transaction), "commit");
}

int main(int argc, char **argv) {
    bare_engine engine = {.open = open_store,
                          .close = close_store,
                          .tick = tick,
                          .rest = rest,
                          .read = read_keys,
                          .read_batch = read_keys,
                          .scan = scan,
                          .load = load,
                          .put = put};
    return bare_main(argc, argv, &engine);
}
