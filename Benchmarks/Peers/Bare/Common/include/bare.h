/* What the bare programs share: the records, the requests, the clock and the output.
 *
 * A bare program does the work of the harness's rows with an engine's own interface, on one thread,
 * and nothing else: it has no worker, no adapter, and no timing of single steps. So its figures
 * show how much the harness adds to an engine's times.
 *
 *     bulla-bare-lmdb ROW RECORDS FOLDER CACHE SEED
 *
 * ROW is a workload's name, RECORDS a file of the harness (RecordFile+C.swift has the layout),
 * FOLDER the store's folder, CACHE the bytes of its cache, SEED that of the random numbers. The
 * first line of the input is the key in hexadecimal digits, or `-`. Each other line asks for a
 * slice, by its number and its number of operations (reads, batches of reads, scans or commits).
 * The answer is one line of JSON. */
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define BARE_RECORDS_PER_COMMIT 10000
#define BARE_READS_PER_SNAPSHOT 10000
#define BARE_READS_PER_BATCH 100

typedef enum {
    BARE_LOAD,
    BARE_POINT_READ,
    BARE_POINT_READ_SNAPSHOT,
    BARE_POINT_READ_REFRESH, /* a kept snapshot that moves to the newest commit before each read */
    BARE_BATCHED_READ,
    BARE_SCAN,
    BARE_SCAN_RUNS, /* a scan that lends many records in one call */
    BARE_COLD_SCAN,
    BARE_FIRST_READ, /* reads in one snapshot of a store that was just opened */
    BARE_SMALL_COMMIT,
    BARE_SMALL_COMMIT_RELAXED,
} bare_row;

typedef struct {
    const uint8_t *_Nonnull at;
    size_t count;
} bare_bytes;

/* Strings stored one after the other: string i ends at ends[i + 1]. */
typedef struct {
    uint8_t *_Nullable bytes;
    size_t *_Nullable ends;
    size_t count, byte_room, room;
} bare_run;

/* A program's arguments, its current slice, and what it has read in that slice. */
typedef struct {
    bare_row row;
    const char *_Nonnull folder;
    const char *_Nullable key; /* in hexadecimal digits; null: plain */
    size_t cache_bytes;
    size_t payload_bytes;
    bool durable;
    uint64_t seed;
    const uint8_t *_Nonnull records;
    size_t record_count;
    size_t operations;
    size_t first_record; /* where a load continues */
    bare_run keys, values;
    uint64_t expected, sum;
    size_t seen;
} bare_work;

/* An engine's functions, each of which ends the program if it fails; `end` is one past the last. */
typedef struct {
    void *_Nonnull (*_Nonnull open)(const bare_work *_Nonnull work);
    void (*_Nonnull close)(void *_Nonnull store, const bare_work *_Nonnull work);
    /* Called once a second, on a thread of its own, if commits are relaxed; null for none. */
    void (*_Nullable tick)(void *_Nonnull store);
    bool ticks_always; /* also if commits are durable */
    /* Finishes background work between two slices of writes, as in the harness; null for none. */
    void (*_Nullable rest)(void *_Nonnull store, const bare_work *_Nonnull work);
    /* Reads keys first ..< end in one snapshot. */
    void (*_Nonnull read)(void *_Nonnull store, bare_work *_Nonnull work, size_t first, size_t end);
    /* Reads keys first ..< end in one call. */
    void (*_Nonnull read_batch)(void *_Nonnull store, bare_work *_Nonnull work, size_t first,
                                size_t end);
    void (*_Nonnull scan)(void *_Nonnull store, bare_work *_Nonnull work);
    /* Puts records first ..< end in one commit. */
    void (*_Nonnull load)(void *_Nonnull store, bare_work *_Nonnull work, size_t first, size_t end);
    /* Puts key and value i in one commit. */
    void (*_Nonnull put)(void *_Nonnull store, bare_work *_Nonnull work, size_t i);
} bare_engine;

/* Obeys the input up to its end. */
int bare_main(int argc, char *_Nullable *_Nonnull argv, const bare_engine *_Nonnull engine);

/* Reads the arguments and the first line, and maps the records. The result is never freed. */
bare_work *_Nonnull bare_begin(int argc, char *_Nullable *_Nonnull argv);

/* Reads the next line, and lays out the slice's requests; false at the end. */
bool bare_next(bare_work *_Nonnull work);

/* Ends a slice that took this long: checks what was read, and prints the answer. Another program is
 * measured next, so the slice must leave no work behind. */
void bare_end(bare_work *_Nonnull work, uint64_t nanoseconds);

/* Ends the program. */
_Noreturn void bare_fail(const char *_Nonnull attempt, const char *_Nonnull reason);

/* Path of a file in the store's folder, in memory that is never freed. */
char *_Nonnull bare_path(const bare_work *_Nonnull work, const char *_Nonnull name);

/* A glance at fewer than eight bytes. */
uint64_t bare_short_glance(const void *_Nullable at, size_t count);

/* Whether the store is closed and opened again before each slice. */
static inline bool bare_reopens(const bare_work *_Nonnull work) {
    return work->row == BARE_COLD_SCAN || work->row == BARE_FIRST_READ;
}

static inline uint64_t bare_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static inline bare_bytes bare_string(const bare_run *_Nonnull run, size_t i) {
    return (bare_bytes){run->bytes + run->ends[i], run->ends[i + 1] - run->ends[i]};
}

/* The keys and values of the slice. */
static inline bare_bytes bare_key(const bare_work *_Nonnull work, size_t i) {
    return bare_string(&work->keys, i);
}

static inline bare_bytes bare_value(const bare_work *_Nonnull work, size_t i) {
    return bare_string(&work->values, i);
}

static inline bare_bytes bare_part(const bare_work *_Nonnull work, size_t part) {
    const uint64_t *starts = (const uint64_t *)(work->records + 8);
    return (bare_bytes){work->records + starts[part], starts[part + 1] - starts[part]};
}

static inline bare_bytes bare_record_key(const bare_work *_Nonnull work, size_t i) {
    return bare_part(work, 2 * i);
}

static inline bare_bytes bare_record_value(const bare_work *_Nonnull work, size_t i) {
    return bare_part(work, 2 * i + 1);
}

/* What the harness's tally sums: the length, the first and the last word. */
static inline uint64_t bare_glance(const void *_Nullable at, size_t count) {
    uint64_t first, last;
    if (count < 8) return bare_short_glance(at, count);
    memcpy(&first, at, 8);
    memcpy(&last, (const uint8_t *)at + count - 8, 8);
    return first + last + count;
}

static inline void bare_saw(bare_work *_Nonnull work, const void *_Nullable value, size_t count) {
    work->sum += bare_glance(value, count);
    work->seen += 1;
}

static inline void bare_saw_record(bare_work *_Nonnull work, const void *_Nullable key,
                                   size_t key_count, const void *_Nullable value, size_t count) {
    work->sum += bare_glance(key, key_count);
    bare_saw(work, value, count);
}

#endif
