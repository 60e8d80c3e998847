/* SQLite and SQLCipher, bare: SQLCipher's folder has a link to this file. */
#include "bare.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { BEGIN, BEGIN_WRITING, COMMIT, GET, SCAN, PUT, STATEMENT_COUNT };

static const char *const texts[STATEMENT_COUNT] = {
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "SELECT value FROM records WHERE key = ?1",
    "SELECT key, value FROM records ORDER BY key",
    "REPLACE INTO records (key, value) VALUES (?1, ?2)",
};

typedef struct {
    sqlite3 *connection;
    sqlite3_stmt *statements[STATEMENT_COUNT];
} sql;

static void check(const sql *self, int code, const char *attempt) {
    if (code != SQLITE_OK) bare_fail(attempt, sqlite3_errmsg(self->connection));
}

static void set(const sql *self, const char *format, unsigned long long number) {
    char text[128];
    snprintf(text, sizeof text, format, number);
    check(self, sqlite3_exec(self->connection, text, NULL, NULL, NULL), text);
}

static void set_cipher(const sql *self, const bare_work *work) {
#ifdef SQLITE_HAS_CODEC
    char text[128];
    if (work->key == NULL || strlen(work->key) < 64) bare_fail("open", "SQLCipher needs a key");
    snprintf(text, sizeof text, "PRAGMA key = \"x'%.64s'\"", work->key);
    check(self, sqlite3_exec(self->connection, text, NULL, NULL, NULL), "set the key");
    set(self, "PRAGMA cipher_page_size = %llu", 4096);
#else
    size_t map = 4 * work->payload_bytes;
    set(self, "PRAGMA page_size = %llu", 4096);
    set(self, "PRAGMA mmap_size = %llu", map > 1 << 30 ? map : 1 << 30);
#endif
}

static void *open_store(const bare_work *work) {
    sql *self = calloc(1, sizeof *self);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    char *path = bare_path(work, "store.sqlite");
    check(self, sqlite3_open_v2(path, &self->connection, flags, NULL), "open");
    free(path);
    set_cipher(self, work);
    set(self, "PRAGMA journal_mode = WAL", 0);
    set(self, work->durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", 0);
    set(self, "PRAGMA cache_size = -%llu", work->cache_bytes >> 10);
    set(self,
        "CREATE TABLE IF NOT EXISTS records (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID", 0);
    for (int i = 0; i < STATEMENT_COUNT; i++)
        check(self,
              sqlite3_prepare_v2(self->connection, texts[i], -1, &self->statements[i], NULL),
              texts[i]);
    return self;
}

static void close_store(void *store, const bare_work *work) {
    sql *self = store;
    (void)work;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(self->statements[i]);
    check(self,
          sqlite3_wal_checkpoint_v2(self->connection, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
          "checkpoint");
    sqlite3_close_v2(self->connection);
    free(self);
}

static void run(const sql *self, int statement) {
    if (sqlite3_step(self->statements[statement]) != SQLITE_DONE)
        bare_fail(texts[statement], sqlite3_errmsg(self->connection));
    sqlite3_reset(self->statements[statement]);
}

static void bind(const sql *self, int statement, int place, bare_bytes bytes) {
    check(self,
          sqlite3_bind_blob64(self->statements[statement], place, bytes.at, bytes.count, NULL),
          "bind");
}

static void read_keys(void *store, bare_work *work, size_t first, size_t end) {
    sql *self = store;
    sqlite3_stmt *get = self->statements[GET];
    bool many = work->row != BARE_POINT_READ_SNAPSHOT;
    if (many) run(self, BEGIN);
    for (size_t i = first; i < end; i++) {
        bind(self, GET, 1, bare_key(work, i));
        if (sqlite3_step(get) != SQLITE_ROW) bare_fail("get", sqlite3_errmsg(self->connection));
        const void *value = sqlite3_column_blob(get, 0);
        bare_saw(work, value, (size_t)sqlite3_column_bytes(get, 0));
        sqlite3_reset(get);
    }
    if (many) run(self, COMMIT);
}

static void scan(void *store, bare_work *work) {
    sql *self = store;
    sqlite3_stmt *scan = self->statements[SCAN];
    int code;
    while ((code = sqlite3_step(scan)) == SQLITE_ROW) {
        const void *key = sqlite3_column_blob(scan, 0);
        size_t key_count = (size_t)sqlite3_column_bytes(scan, 0);
        const void *value = sqlite3_column_blob(scan, 1);
        bare_saw_record(work, key, key_count, value, (size_t)sqlite3_column_bytes(scan, 1));
    }
    if (code != SQLITE_DONE) bare_fail("scan", sqlite3_errmsg(self->connection));
    sqlite3_reset(scan);
}

static void put_record(const sql *self, bare_bytes key, bare_bytes value) {
    bind(self, PUT, 1, key);
    bind(self, PUT, 2, value);
    run(self, PUT);
}

static void load(void *store, bare_work *work, size_t first, size_t end) {
    run(store, BEGIN_WRITING);
    for (size_t i = first; i < end; i++)
        put_record(store, bare_record_key(work, i), bare_record_value(work, i));
    run(store, COMMIT);
}

static void put(void *store, bare_work *work, size_t i) {
    put_record(store, bare_key(work, i), bare_value(work, i));
}

int main(int argc, char **argv) {
    bare_engine engine = {.open = open_store,
                          .close = close_store,
                          .read = read_keys,
                          .read_batch = read_keys,
                          .scan = scan,
                          .load = load,
                          .put = put};
    return bare_main(argc, argv, &engine);
}
