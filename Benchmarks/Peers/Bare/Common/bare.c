#include "bare.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The exit statuses of `bulla-bench` and its workers. */
enum { EXIT_USAGE = 64, EXIT_INPUT = 65, EXIT_STORE = 70, EXIT_DIGEST = 72 };

static const char *const names[] = {
    "load", "point-read", "point-read-snapshot", "point-read-refresh", "batched-read",
    "scan", "scan-runs",  "cold-scan",           "first-read",         "small-commit",
    "small-commit-relaxed",
};

_Noreturn static void end(int status, const char *attempt, const char *reason) {
    fprintf(stderr, "bare: %s: %s\n", attempt, reason);
    exit(status);
}

void bare_fail(const char *attempt, const char *reason) {
    end(EXIT_STORE, attempt, reason);
}

char *bare_path(const bare_work *work, const char *name) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", work->folder, name) < 0) bare_fail("name a file", name);
    return path;
}

/* ---- random numbers, as in the harness: xoshiro256** 1.0, its state filled by SplitMix64 ---- */

typedef struct {
    uint64_t state[4];
} generator;

static uint64_t split_mix(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

static uint64_t mix(uint64_t value) {
    return split_mix(&value);
}

/* The random numbers of a slice, for the first lane of the first shard. */
static generator generator_of(uint64_t seed, uint64_t slice) {
    generator random;
    uint64_t state = mix(mix(mix(mix(seed)) ^ slice));
    for (int i = 0; i < 4; i++)
        random.state[i] = split_mix(&state);
    return random;
}

static uint64_t rotated(uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
}

static size_t below(generator *random, size_t bound) {
    uint64_t *s = random->state;
    uint64_t result = rotated(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotated(s[3], 45);
    return (size_t)(((unsigned __int128)result * bound) >> 64);
}

/* ---- records ---- */

uint64_t bare_short_glance(const void *at, size_t count) {
    uint64_t high = (uint64_t)count << 56, low = 0;
    for (size_t i = 0; i < count; i++)
        low ^= (uint64_t)((const uint8_t *)at)[i] << (8 * i);
    unsigned __int128 product =
        (unsigned __int128)(high ^ 0x589565A5D1B39BD5) * (low ^ 0x1D8E4E27C47D124F);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static void map_records(bare_work *work, const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0 || status.st_size < 16)
        end(EXIT_INPUT, "open records", path);
    size_t size = (size_t)status.st_size;
    void *at = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    if (at == MAP_FAILED) end(EXIT_INPUT, "map records", path);
    close(file);
    work->records = at;
    work->record_count = *(const uint64_t *)at;
    size_t header = 8 * (2 * work->record_count + 2);
    if (work->record_count == 0 || work->record_count >= size / 16 || header > size ||
        bare_part(work, 0).at != work->records + header)
        end(EXIT_INPUT, "map records", "it is not a file of records");
    work->payload_bytes = size - header;
}

/* ---- the requests of a slice, laid out before the clock starts ---- */

static void clear(bare_run *run) {
    run->count = 0;
    if (run->ends == NULL) run->ends = calloc(1, sizeof *run->ends);
}

static uint8_t *append(bare_run *run, bare_bytes string) {
    size_t start = run->ends[run->count];
    if (start + string.count > run->byte_room || run->bytes == NULL) {
        run->byte_room = 2 * (start + string.count) + 4096;
        run->bytes = realloc(run->bytes, run->byte_room);
    }
    if (run->count + 2 > run->room) {
        run->room = 2 * (run->count + 2);
        run->ends = realloc(run->ends, run->room * sizeof *run->ends);
    }
    if (run->bytes == NULL || run->ends == NULL) bare_fail("lay out", "no memory");
    memcpy(run->bytes + start, string.at, string.count);
    run->ends[++run->count] = start + string.count;
    return run->bytes + start;
}

/* A value of the record's length that no slice has put before. */
static void append_change(bare_work *work, bare_bytes old) {
    static uint64_t version = 0;
    char digits[17];
    snprintf(digits, sizeof digits, "%016" PRIx64, mix(++version));
    memcpy(append(&work->values, old), digits, old.count < 16 ? old.count : 16);
}

/* The sum over all records, computed only once: reading them all for each slice would fill the
 * processor's caches. */
static uint64_t sum_of_all(const bare_work *work) {
    static uint64_t sum = 0;
    if (sum != 0) return sum;
    for (size_t part = 0; part < 2 * work->record_count; part++)
        sum += bare_glance(bare_part(work, part).at, bare_part(work, part).count);
    return sum;
}

static void draw(bare_work *work, uint64_t slice, size_t count, bool changes) {
    generator random = generator_of(work->seed, slice);
    for (size_t i = 0; i < count; i++) {
        size_t record = below(&random, work->record_count);
        bare_bytes value = bare_record_value(work, record);
        append(&work->keys, bare_record_key(work, record));
        if (changes) append_change(work, value);
        else work->expected += bare_glance(value.at, value.count);
    }
}

static void lay_out(bare_work *work, uint64_t slice) {
    clear(&work->keys);
    clear(&work->values);
    work->sum = work->expected = work->seen = 0;
    switch (work->row) {
    case BARE_LOAD:
        break;
    case BARE_SCAN:
    case BARE_SCAN_RUNS:
    case BARE_COLD_SCAN:
        work->expected = work->operations * sum_of_all(work);
        break;
    case BARE_BATCHED_READ:
        draw(work, slice, work->operations * BARE_READS_PER_BATCH, false);
        break;
    default:
        draw(work, slice, work->operations, work->row >= BARE_SMALL_COMMIT);
    }
}

/* ---- input and output ---- */

static const char *read_key(void) {
    static char line[1024];
    if (fgets(line, sizeof line, stdin) == NULL) end(EXIT_USAGE, "read the key", "no line");
    line[strcspn(line, "\n")] = 0;
    return strcmp(line, "-") == 0 ? NULL : line;
}

bare_work *bare_begin(int argc, char **argv) {
    bare_work *work = calloc(1, sizeof *work);
    if (work == NULL) bare_fail("begin", "no memory");
    if (argc != 6) end(EXIT_USAGE, "usage", "ROW RECORDS FOLDER CACHE SEED, then key and slices");
    size_t row = 0, count = sizeof names / sizeof *names;
    while (row < count && strcmp(names[row], argv[1]) != 0)
        row++;
    if (row == count) end(EXIT_USAGE, "no such row", argv[1]);
    work->row = (bare_row)row;
    work->durable = row != BARE_SMALL_COMMIT_RELAXED;
    work->folder = argv[3];
    work->cache_bytes = strtoull(argv[4], NULL, 10);
    work->seed = strtoull(argv[5], NULL, 10);
    work->key = read_key();
    map_records(work, argv[2]);
    return work;
}

bool bare_next(bare_work *work) {
    char line[128];
    uint64_t slice;
    if (fgets(line, sizeof line, stdin) == NULL) return false;
    if (sscanf(line, "%" SCNu64 " %zu", &slice, &work->operations) != 2)
        end(EXIT_USAGE, "read a slice", line);
    lay_out(work, slice);
    return true;
}

static size_t units(const bare_work *work) {
    size_t all = work->record_count - work->first_record;
    switch (work->row) {
    case BARE_LOAD:
        return work->operations * BARE_RECORDS_PER_COMMIT < all
                   ? work->operations * BARE_RECORDS_PER_COMMIT
                   : all;
    case BARE_SCAN:
    case BARE_SCAN_RUNS:
    case BARE_COLD_SCAN:
        return work->operations * work->record_count;
    default:
        return work->keys.count;
    }
}

void bare_end(bare_work *work, uint64_t nanoseconds) {
    if (work->sum != work->expected) end(EXIT_DIGEST, "read", "not the values that were written");
    printf("{\"work\":\"%s\",\"operations\":%zu,\"nanoseconds\":%" PRIu64
           ",\"checksum\":\"%016" PRIx64 "\"}\n",
           names[work->row], units(work), nanoseconds, work->sum);
    fflush(stdout);
    if (work->row == BARE_LOAD) work->first_record += units(work);
}

/* ---- the work ---- */

typedef struct {
    const bare_engine *engine;
    void *store;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    bool stopped;
} ticker;

static void *tick(void *context) {
    ticker *self = context;
    struct timespec due;
    pthread_mutex_lock(&self->lock);
    while (!self->stopped) {
        clock_gettime(CLOCK_REALTIME, &due);
        due.tv_sec += 1;
        if (pthread_cond_timedwait(&self->stop, &self->lock, &due) != 0)
            self->engine->tick(self->store);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static bool ticks(const bare_engine *engine, const bare_work *work) {
    return engine->tick != NULL && (engine->ticks_always || !work->durable);
}

static void *open_store(ticker *self, const bare_work *work) {
    self->store = self->engine->open(work);
    self->stopped = false;
    if (ticks(self->engine, work) && pthread_create(&self->thread, NULL, tick, self) != 0)
        bare_fail("start a thread", "refused");
    return self->store;
}

static void close_store(ticker *self, const bare_work *work) {
    if (ticks(self->engine, work)) {
        pthread_mutex_lock(&self->lock);
        self->stopped = true;
        pthread_cond_signal(&self->stop);
        pthread_mutex_unlock(&self->lock);
        pthread_join(self->thread, NULL);
    }
    self->engine->close(self->store, work);
}

static void read_parts(void (*read)(void *, bare_work *, size_t, size_t), void *store,
                       bare_work *work, size_t part) {
    for (size_t first = 0; first < work->keys.count; first += part) {
        size_t end = first + part < work->keys.count ? first + part : work->keys.count;
        read(store, work, first, end);
    }
}

static void load(const bare_engine *engine, void *store, bare_work *work) {
    size_t end = work->first_record + units(work);
    for (size_t first = work->first_record; first < end; first += BARE_RECORDS_PER_COMMIT) {
        size_t last = first + BARE_RECORDS_PER_COMMIT < end ? first + BARE_RECORDS_PER_COMMIT : end;
        engine->load(store, work, first, last);
    }
}

static void run(const bare_engine *engine, void *store, bare_work *work) {
    switch (work->row) {
    case BARE_LOAD:
        return load(engine, store, work);
    case BARE_POINT_READ:
    case BARE_FIRST_READ:
        return read_parts(engine->read, store, work, BARE_READS_PER_SNAPSHOT);
    case BARE_POINT_READ_SNAPSHOT:
        return read_parts(engine->read, store, work, 1);
    case BARE_BATCHED_READ:
        return read_parts(engine->read_batch, store, work, BARE_READS_PER_BATCH);
    case BARE_SCAN:
    case BARE_COLD_SCAN:
        for (size_t i = 0; i < work->operations; i++)
            engine->scan(store, work);
        return;
    default:
        for (size_t i = 0; i < work->keys.count; i++)
            engine->put(store, work, i);
    }
}

static void obey(const bare_engine *engine, bare_work *work) {
    ticker ticker = {
        .engine = engine, .lock = PTHREAD_MUTEX_INITIALIZER, .stop = PTHREAD_COND_INITIALIZER};
    void *store = open_store(&ticker, work);
    if (work->row != BARE_LOAD && !bare_reopens(work)) engine->scan(store, work);
    while (bare_next(work)) {
        if (bare_reopens(work)) {
            close_store(&ticker, work);
            store = open_store(&ticker, work);
        }
        uint64_t start = bare_now();
        run(engine, store, work);
        uint64_t nanoseconds = bare_now() - start;
        if (work->row >= BARE_SMALL_COMMIT && engine->rest != NULL) engine->rest(store, work);
        bare_end(work, nanoseconds);
    }
    close_store(&ticker, work);
}

typedef struct {
    const bare_engine *engine;
    bare_work *work;
} order;

static void *obey_order(void *context) {
    const order *order = context;
    obey(order->engine, order->work);
    return NULL;
}

/* Works on a thread of its own, as a worker of the harness does: for such a thread, the C library
 * takes memory from another arena than for the main thread, and at another cost. */
int bare_main(int argc, char **argv, const bare_engine *engine) {
    order order = {.engine = engine, .work = bare_begin(argc, argv)};
    pthread_t thread;
    /* For the engines in C the two rows are one: in both they keep the objects to read with. */
    if (order.work->row == BARE_POINT_READ_REFRESH) order.work->row = BARE_POINT_READ_SNAPSHOT;
    /* Their scans have one form. */
    if (order.work->row == BARE_SCAN_RUNS) order.work->row = BARE_SCAN;
    if (pthread_create(&thread, NULL, obey_order, &order) != 0 || pthread_join(thread, NULL) != 0)
        bare_fail("run a thread", "refused");
    return 0;
}
