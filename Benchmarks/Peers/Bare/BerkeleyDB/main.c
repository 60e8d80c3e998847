/* Berkeley DB, bare. */
#include "bare.h"

#include <db.h>
#include <stdlib.h>

enum { PAGE_BYTES = 8192, VALUE_BYTES = 64 << 10, BULK_BYTES = 256 << 10 };

typedef struct {
    DB_ENV *environment;
    DB *database;
    bool durable;
    void *value, *bulk;
} berkeley;

static void check(int code, const char *attempt) {
    if (code != 0) bare_fail(attempt, db_strerror(code));
}

static void tick(void *store) {
    berkeley *self = store;
    DB_ENV *environment = self->environment;
    if (!self->durable) check(environment->log_flush(environment, NULL), "flush the log");
    check(environment->txn_checkpoint(environment, 64 << 10, 1, 0), "checkpoint");
}

static void set_up(DB_ENV *environment, const bare_work *work) {
    u_int32_t locks = 64 << 10, cache = (u_int32_t)(work->cache_bytes & ((1 << 30) - 1));
    if (work->key != NULL)
        check(environment->set_encrypt(environment, work->key, DB_ENCRYPT_AES), "encrypt");
    check(environment->set_cachesize(environment, (u_int32_t)(work->cache_bytes >> 30), cache, 1),
          "size the cache");
    check(environment->set_lk_max_locks(environment, locks), "size locks");
    check(environment->set_lk_max_objects(environment, locks), "size locks");
    check(environment->mutex_set_increment(environment,
                                           100000 + (u_int32_t)(work->cache_bytes >> 12)),
          "size mutexes");
    check(environment->set_tx_max(environment, 104), "size transactions");
    check(environment->set_lg_bsize(environment, 2 << 20), "size the log");
    check(environment->set_lk_detect(environment, DB_LOCK_MINWRITE), "detect deadlocks");
    check(environment->log_set_config(environment, DB_LOG_AUTO_REMOVE, 1), "remove old logs");
    if (!work->durable)
        check(environment->set_flags(environment, DB_TXN_WRITE_NOSYNC, 1), "relax commits");
}

static void *open_store(const bare_work *work) {
    berkeley *self = calloc(1, sizeof *self);
    u_int32_t flags = DB_CREATE | DB_INIT_TXN | DB_INIT_LOCK | DB_INIT_LOG | DB_INIT_MPOOL |
                      DB_THREAD | DB_RECOVER | DB_PRIVATE;
    check(db_env_create(&self->environment, 0), "create an environment");
    set_up(self->environment, work);
    check(self->environment->open(self->environment, work->folder, flags, 0600), "open");
    check(db_create(&self->database, self->environment, 0), "create a handle");
    check(self->database->set_pagesize(self->database, PAGE_BYTES), "size pages");
    if (work->key != NULL) check(self->database->set_flags(self->database, DB_ENCRYPT), "encrypt");
    check(self->database->open(self->database, NULL, "records.db", NULL, DB_BTREE,
                               DB_CREATE | DB_AUTO_COMMIT | DB_THREAD | DB_MULTIVERSION, 0600),
          "open the database");
    self->durable = work->durable;
    self->value = malloc(VALUE_BYTES);
    self->bulk = malloc(BULK_BYTES);
    return self;
}

static void close_store(void *store, const bare_work *work) {
    berkeley *self = store;
    DB_ENV *environment = self->environment;
    (void)work;
    check(self->database->close(self->database, 0), "close the database");
    check(environment->txn_checkpoint(environment, 0, 0, DB_FORCE), "checkpoint");
    check(environment->log_archive(environment, NULL, DB_ARCH_REMOVE), "remove old logs");
    check(environment->close(environment, 0), "close");
    free(self->value);
    free(self->bulk);
    free(self);
}

static DBT lent(bare_bytes bytes) {
    return (DBT){.data = (void *)bytes.at,
                 .size = (u_int32_t)bytes.count,
                 .ulen = (u_int32_t)bytes.count,
                 .flags = DB_DBT_USERMEM};
}

static DBT room(void *memory, u_int32_t count) {
    return (DBT){.data = memory, .ulen = count, .flags = DB_DBT_USERMEM};
}

static DB_TXN *begin(const berkeley *self, u_int32_t flags) {
    DB_TXN *transaction;
    check(self->environment->txn_begin(self->environment, NULL, &transaction, flags), "begin");
    return transaction;
}

static void read_keys(void *store, bare_work *work, size_t first, size_t end) {
    berkeley *self = store;
    bool many = work->row != BARE_POINT_READ_SNAPSHOT;
    DB_TXN *transaction = many ? begin(self, DB_TXN_SNAPSHOT) : NULL;
    for (size_t i = first; i < end; i++) {
        DBT key = lent(bare_key(work, i)), value = room(self->value, VALUE_BYTES);
        check(self->database->get(self->database, transaction, &key, &value, 0), "get");
        bare_saw(work, value.data, value.size);
    }
    if (many) check(transaction->commit(transaction, 0), "end to read");
}

static void scan(void *store, bare_work *work) {
    berkeley *self = store;
    DB_TXN *transaction = begin(self, DB_TXN_SNAPSHOT);
    DBC *cursor;
    DBT key = {0}, found = room(self->bulk, BULK_BYTES);
    int code;
    check(self->database->cursor(self->database, transaction, &cursor, 0), "open a cursor");
    while ((code = cursor->get(cursor, &key, &found, DB_NEXT | DB_MULTIPLE_KEY)) == 0) {
        void *place, *key_at, *value_at;
        u_int32_t key_count, count;
        DB_MULTIPLE_INIT(place, &found);
        while (true) {
            DB_MULTIPLE_KEY_NEXT(place, &found, key_at, key_count, value_at, count);
            if (place == NULL) break;
            bare_saw_record(work, key_at, key_count, value_at, count);
        }
    }
    if (code != DB_NOTFOUND) check(code, "scan");
    check(cursor->close(cursor), "close a cursor");
    check(transaction->commit(transaction, 0), "end to read");
}

static void put_record(const berkeley *self, DB_TXN *transaction, bare_bytes key_bytes,
                       bare_bytes value_bytes) {
    DBT key = lent(key_bytes), value = lent(value_bytes);
    check(self->database->put(self->database, transaction, &key, &value, 0), "put");
}

static void load(void *store, bare_work *work, size_t first, size_t end) {
    berkeley *self = store;
    DB_TXN *transaction = begin(self, 0);
    for (size_t i = first; i < end; i++)
        put_record(self, transaction, bare_record_key(work, i), bare_record_value(work, i));
    check(transaction->commit(transaction, 0), "commit");
}

static void put(void *store, bare_work *work, size_t i) {
    put_record(store, NULL, bare_key(work, i), bare_value(work, i));
}

int main(int argc, char **argv) {
    bare_engine engine = {.open = open_store,
                          .close = close_store,
                          .tick = tick,
                          .ticks_always = true,
                          .read = read_keys,
                          .read_batch = read_keys,
                          .scan = scan,
                          .load = load,
                          .put = put};
    return bare_main(argc, argv, &engine);
}
