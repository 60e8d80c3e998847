/* What Swift cannot express by itself: words that processes share, locks that the kernel holds,
 * epochs, faults in mappings, and some system calls. Nothing here knows what a page contains. */
#ifndef CBULLA_SHARED_H
#define CBULLA_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- bytes ---- */

static inline int bulla_bytes_compare(const void *_Nonnull a, const void *_Nonnull b,
                                      size_t count) {
    return memcmp(a, b, count);
}

/* Overwrites bytes with zeros, in a way that no compiler removes. */
static inline void bulla_bytes_wipe(void *_Nonnull at, size_t count) {
    memset(at, 0, count);
    __asm__ volatile("" : : "r"(at) : "memory");
}

/* Starts loading the cache line at `address`; a hint, never a fault. */
static inline void bulla_prefetch(const void *_Nonnull address) {
    __builtin_prefetch(address, 0, 3);
}

/* The index of the first slot whose number is at least `head`; `count` if there is none. There is
 * at least one slot. Each has 8 bytes, and they are sorted by the little-endian number in their
 * first 4.
 *
 * __builtin_unpredictable keeps the compiler from branching: half of the guesses would be wrong. */
static inline size_t bulla_first_head(const void *_Nonnull slots, size_t count, uint32_t head) {
    const unsigned char *base = (const unsigned char *)slots;
    while (count > 1) {
        size_t half = count >> 1;
        uint32_t probe;
        memcpy(&probe, base + (half - 1) * 8, sizeof probe);
        base = __builtin_unpredictable(probe < head) ? base + half * 8 : base;
        count -= half;
    }
    uint32_t last;
    memcpy(&last, base, sizeof last);
    return (size_t)(base - (const unsigned char *)slots) / 8 + (last < head);
}

/* ---- words: 8 bytes, aligned to 8; each access named by its ordering ---- */

static inline uint64_t bulla_word_load_relaxed(const void *_Nonnull at) {
    return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_relaxed);
}
static inline uint64_t bulla_word_load_acquire(const void *_Nonnull at) {
    return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_acquire);
}
static inline void bulla_word_store_relaxed(void *_Nonnull at, uint64_t value) {
    atomic_store_explicit((_Atomic uint64_t *)at, value, memory_order_relaxed);
}
static inline void bulla_word_store_release(void *_Nonnull at, uint64_t value) {
    atomic_store_explicit((_Atomic uint64_t *)at, value, memory_order_release);
}
/* A store that no later load of this thread can overtake. */
static inline void bulla_word_store_fenced(void *_Nonnull at, uint64_t value) {
    atomic_store_explicit((_Atomic uint64_t *)at, value, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
}
static inline uint64_t bulla_word_add(void *_Nonnull at, uint64_t amount) {
    return atomic_fetch_add_explicit((_Atomic uint64_t *)at, amount, memory_order_acq_rel);
}
static inline bool bulla_word_exchange_if(void *_Nonnull at, uint64_t expected, uint64_t desired) {
    return atomic_compare_exchange_strong_explicit((_Atomic uint64_t *)at, &expected, desired,
                                                   memory_order_acq_rel, memory_order_acquire);
}
static inline void bulla_fence(void) { atomic_thread_fence(memory_order_seq_cst); }
/* Keeps loads after it from moving ahead of loads before it. */
static inline void bulla_fence_acquire(void) { atomic_thread_fence(memory_order_acquire); }
/* Loads 8 bytes, aligned to 4, that others may be writing: each half is one load. */
static inline uint64_t bulla_halves_load(const void *_Nonnull at) {
    const _Atomic uint32_t *halves = (const _Atomic uint32_t *)at;
    uint64_t low = atomic_load_explicit(halves, memory_order_relaxed);
    return low | (uint64_t)atomic_load_explicit(halves + 1, memory_order_relaxed) << 32;
}

/* ---- futex: the low half of a shared word, across processes ---- */

/* Sleeps while the low 32 bits at `word` equal `expected`, for at most `nanoseconds`. A signal can
 * end the sleep too, so the caller has to look again. */
void bulla_futex_wait(const void *_Nonnull word, uint32_t expected, int64_t nanoseconds);
/* Wakes up to `count` sleepers, and returns how many it woke. */
int bulla_futex_wake(const void *_Nonnull word, int count);

/* ---- locks that the kernel holds for an open file description ---- */

typedef enum {
    BULLA_LOCK_NONE = 0,
    BULLA_LOCK_SHARED = 1,
    BULLA_LOCK_EXCLUSIVE = 2,
} bulla_lock_kind;

/* Takes, changes or releases the lock on one byte. Returns 0 or an errno (EAGAIN: another holds
 * it). */
int bulla_lock_byte(int descriptor, int64_t offset, bulla_lock_kind kind);
/* Whether another open file description holds a lock that excludes `kind` on any byte of the range:
 * 1, 0, or -errno. */
int bulla_lock_probe(int descriptor, int64_t offset, int64_t byte_count, bulla_lock_kind kind);

/* ---- epochs: which threads may still be reading a frame of a cache ----
 *
 * Each thread has one record for all stores, which it finds through a thread-local pointer.
 *
 *   word     written by       read by    meaning
 *   active   its thread       evictors   the epoch its operation began in; 0 = no operation runs
 *   held[i]  its thread       evictors   a frame that a caller's closure is reading; 0 = none
 *   inside[i] its thread      closers    a gate that it has gone through (see below); 0 = none
 *
 * A thread enters with a plain store. An evictor unlinks frames, and then calls membarrier(2),
 * which orders that store. If the kernel lacks the call, entering costs a fence. */
enum { BULLA_EPOCH_HELD_LIMIT = 6, BULLA_GATE_LIMIT = 16 };

typedef struct bulla_epoch_record {
    _Alignas(64) _Atomic uint64_t active;
    _Atomic uint64_t held[BULLA_EPOCH_HELD_LIMIT];
    uint32_t depth;
    uint32_t held_count;
    _Atomic uint32_t is_used;
    uint32_t inside_count;
    struct bulla_epoch_record *_Nullable next;
    _Atomic uint64_t inside[BULLA_GATE_LIMIT];
} bulla_epoch_record;

extern _Atomic uint64_t bulla_epoch_now;
extern bool bulla_epoch_needs_fence;
/* Lies at a fixed distance from the thread pointer, because a call for each lookup would cost as
 * much as the rest of entering. The C library reserves a few such words for libraries that a
 * program loads late. */
extern _Thread_local bulla_epoch_record *_Nullable bulla_epoch_local
    __attribute__((tls_model("initial-exec")));

/* Gives this thread a record, which it keeps until it ends. */
bulla_epoch_record *_Nonnull bulla_epoch_register(void);

static inline bulla_epoch_record *_Nonnull bulla_epoch_here(void) {
    bulla_epoch_record *record = bulla_epoch_local;
    return __builtin_expect(record != NULL, 1) ? record : bulla_epoch_register();
}

/* Begins an operation. Operations nest; only the outermost counts. */
static inline void bulla_epoch_enter(void) {
    bulla_epoch_record *record = bulla_epoch_here();
    if (record->depth++ != 0) { return; }
    /* Acquire: whatever the operation reads must not be older than its epoch. */
    uint64_t now = atomic_load_explicit(&bulla_epoch_now, memory_order_acquire);
    atomic_store_explicit(&record->active, now, memory_order_relaxed);
    if (__builtin_expect(bulla_epoch_needs_fence, 0)) {
        atomic_thread_fence(memory_order_seq_cst);
    } else {
        atomic_signal_fence(memory_order_seq_cst);
    }
}

static inline void bulla_epoch_leave(void) {
    bulla_epoch_record *record = bulla_epoch_here();
    if (--record->depth != 0) { return; }
    atomic_store_explicit(&record->active, 0, memory_order_release);
}

/* Whether this thread is in an operation. */
static inline bool bulla_epoch_is_inside(void) { return bulla_epoch_here()->depth != 0; }

/* Suspends all operations that this thread is in, so that it can wait; returns their depth. */
static inline uint32_t bulla_epoch_suspend(void) {
    bulla_epoch_record *record = bulla_epoch_here();
    uint32_t depth = record->depth;
    record->depth = 0;
    atomic_store_explicit(&record->active, 0, memory_order_release);
    return depth;
}

/* Resumes suspended operations. Any frame that they had looked at may be gone. */
static inline void bulla_epoch_resume(uint32_t depth) {
    if (depth == 0) { return; }
    bulla_epoch_enter();
    bulla_epoch_here()->depth = depth;
}

/* Keeps `frame` while a closure reads it, after the operation has ended. Returns false if this
 * thread holds too many frames: then the caller copies instead. */
static inline bool bulla_epoch_hold(uint64_t frame) {
    bulla_epoch_record *record = bulla_epoch_here();
    if (record->held_count == BULLA_EPOCH_HELD_LIMIT) { return false; }
    atomic_store_explicit(&record->held[record->held_count++], frame, memory_order_relaxed);
    return true;
}

static inline void bulla_epoch_unhold(void) {
    bulla_epoch_record *record = bulla_epoch_here();
    atomic_store_explicit(&record->held[--record->held_count], 0, memory_order_release);
}

/* Waits until every operation that began before this call has ended. The calling thread must not be
 * in any. */
void bulla_epoch_synchronize(void);
/* Whether any thread's closure reads `frame`. Valid only after bulla_epoch_synchronize. */
bool bulla_epoch_is_held(uint64_t frame);

/* For a thread that must not wait: begins an epoch; says whether all operations before it ended. */
uint64_t bulla_epoch_begin(void);
bool bulla_epoch_has_ended(uint64_t end);
/* Puts those frames from `low` up to `high` that closures read into `frames`; returns their number,
 * which can be more than `room`. Valid only when operations have ended as above. */
size_t bulla_epoch_held(uint64_t low, uint64_t high, uint64_t *_Nonnull frames, size_t room);

/* ---- gates: which threads are inside something that another thread wants to close ----
 *
 * A thread that enters writes the gate into its record, with a plain store; then it checks whether
 * the gate is shut. The closer shuts it, calls bulla_gate_synchronize, and reads the records. So
 * either the closer sees the thread, or the thread sees that the gate is shut. */

typedef enum {
    BULLA_GATE_ENTERED = 0, /* inside: the thread has to call bulla_gate_leave */
    BULLA_GATE_NESTED = 1,  /* this thread is inside already: nothing to leave */
    BULLA_GATE_CROWDED = 2, /* inside too many gates: the caller has to count this one elsewhere */
} bulla_gate_entry;

static inline bulla_gate_entry bulla_gate_enter(uint64_t gate) {
    bulla_epoch_record *record = bulla_epoch_here();
    uint32_t count = record->inside_count;
    for (uint32_t i = count; i-- > 0;) {
        if (atomic_load_explicit(&record->inside[i], memory_order_relaxed) == gate) {
            return BULLA_GATE_NESTED;
        }
    }
    if (count == BULLA_GATE_LIMIT) { return BULLA_GATE_CROWDED; }
    atomic_store_explicit(&record->inside[count], gate, memory_order_relaxed);
    record->inside_count = count + 1;
    if (__builtin_expect(bulla_epoch_needs_fence, 0)) {
        atomic_thread_fence(memory_order_seq_cst);
    } else {
        atomic_signal_fence(memory_order_seq_cst);
    }
    return BULLA_GATE_ENTERED;
}

/* Leaves the gate that this thread entered last, of those that it is inside. */
static inline void bulla_gate_leave(void) {
    bulla_epoch_record *record = bulla_epoch_here();
    atomic_store_explicit(&record->inside[--record->inside_count], 0, memory_order_release);
}

/* Makes bulla_gate_look see every thread that entered a gate before it was shut. */
void bulla_gate_synchronize(void);

typedef enum {
    BULLA_GATE_EMPTY = 0,
    BULLA_GATE_OTHERS = 1, /* other threads are inside, and not this one */
    BULLA_GATE_SELF = 2,   /* this thread is inside */
} bulla_gate_presence;

/* Says whether threads are inside a gate. Valid only after bulla_gate_synchronize. */
bulla_gate_presence bulla_gate_look(uint64_t gate);

/* ---- faults in mappings ----
 *
 * If a file is cut short under a mapping, the next access beyond its end raises SIGBUS. If the
 * mapping is watched, the handler puts a page of zeros in that place and counts the fault; readers
 * check the count. */

/* Watches [base, base + byte_count). Returns the watch's number, or -1 if there are too many
 * mappings. In a writable mapping, the page of zeros can be written to, but no other process sees
 * the writes. */
int bulla_fault_watch(const void *_Nonnull base, size_t byte_count, bool is_writable);
void bulla_fault_unwatch(int watch);
/* How many faults the handler has answered: in one watched mapping, and in all of them. */
uint64_t bulla_fault_count_of(int watch);
extern _Atomic uint64_t bulla_fault_total;
static inline uint64_t bulla_fault_count(void) {
    /* Acquire: a mapping's own count, read afterwards, is no older. */
    return atomic_load_explicit(&bulla_fault_total, memory_order_acquire);
}

/* ---- fork ---- */

/* The address of a word that holds this process's mark, which also goes to `mark`. In every child
 * of a fork the word holds another mark, or 0. NULL if there is no memory for the word. */
const void *_Nullable bulla_fork_sentinel(uint64_t *_Nonnull mark);

/* ---- memory for secrets: kept out of core dumps, and absent in a child of a fork ---- */

typedef enum {
    BULLA_SECRET_HIDDEN = 0, /* memfd_secret(2): locked, and mapped only in this process */
    BULLA_SECRET_LOCKED = 1, /* anonymous memory, locked with mlock(2) */
    BULLA_SECRET_LOOSE = 2,  /* anonymous memory, which can be swapped */
} bulla_secret_kind;

typedef enum {
    BULLA_SECRET_MAPPED = 0,
    BULLA_SECRET_ABSENT = 1,     /* the system has no memory of this kind */
    BULLA_SECRET_UNLOCKABLE = 2, /* it cannot be locked: the limit is too low */
    BULLA_SECRET_SHORT = 3,      /* there is no memory, or no address space */
} bulla_secret_status;

/* Maps whole machine pages of zeros. If the call fails, errno says why. The process that mapped the
 * pages gives them back with munmap. */
bulla_secret_status bulla_secret_map(size_t byte_count, bulla_secret_kind kind,
                                     void *_Nullable *_Nonnull base);
/* How much memory this process can lock (RLIMIT_MEMLOCK, which does not bind a process with
 * CAP_IPC_LOCK); UINT64_MAX if there is no limit. */
uint64_t bulla_secret_byte_limit(void);
/* How much address space this process can have (RLIMIT_AS); UINT64_MAX if there is no limit. */
uint64_t bulla_address_space_limit(void);

/* ---- what the system headers hide behind variadic calls or private numbers ---- */
int bulla_open(const char *_Nonnull path, int flags, unsigned mode);
/* Makes children of a fork close the file, so that they do not keep the locks of a dead parent.
 * Returns false if there are already 16384 such descriptors. */
bool bulla_forget_in_child(int descriptor);
/* Undoes bulla_forget_in_child for this descriptor. */
void bulla_keep_in_child(int descriptor);
/* Gives up the file and the locks of `descriptor`. The number stays taken: it then names
 * /dev/null. */
void bulla_void_descriptor(int descriptor);
uint64_t bulla_file_system_kind(int descriptor); /* f_type of fstatfs, or 0 */

typedef struct {
    uint64_t device, inode, byte_count;
    bool is_regular;
} bulla_file_facts;

/* Describes the file at `path`, or the open file if the path is empty. Returns false on failure,
 * with the reason in errno. It does not ask for the file's times: once asked, a kernel records the
 * time of the next change, and the next flush has one more block to write. */
bool bulla_file_look(int descriptor, const char *_Nonnull path, bulla_file_facts *_Nonnull facts);

/* How long a file this process can make (RLIMIT_FSIZE); UINT64_MAX if there is no limit. A write
 * past it would raise SIGXFSZ, which by default kills the program. */
uint64_t bulla_file_byte_limit(void);
/* How many bytes the file system of an open file has left for this user; UINT64_MAX: unknown. */
uint64_t bulla_file_space_left(int descriptor);
/* Begins to write a part of an open file to the disk (sync_file_range(2)). It makes nothing
 * durable, and consumes no error that a flush should report. */
bool bulla_start_write_back(int descriptor, uint64_t offset, uint64_t byte_count);
/* Waits for the writing that was begun. If any write-back of the file has failed, this call reports
 * it instead of the next fdatasync of this descriptor; other descriptors report it too. */
bool bulla_await_write_back(int descriptor, uint64_t offset, uint64_t byte_count);

/* ---- memory that the workers of one program share: a file without a name, memfd_create(2) ---- */
/* Makes such a file of fixed length. Returns its descriptor, which exec closes, or -errno. */
int bulla_pool_make(uint64_t byte_count);
/* Opens the file anew, with locks of its own, or returns -errno (-EINVAL: no such file). */
int bulla_pool_open(int descriptor, uint64_t *_Nonnull byte_count);
/* Makes all bytes zero, in every mapping, and frees the memory. On failure: false, and errno. */
bool bulla_pool_clear(int descriptor, uint64_t byte_count);

/* ---- threads ---- */

/* Calls `run` with `context` on a new thread, of low priority if it `gives_way`. Returns false if
 * the system has no room for a thread. */
bool bulla_thread_run(void (*_Nonnull run)(void *_Nonnull), void *_Nonnull context, bool gives_way);

/* ---- keys that the kernel keeps: keyrings(7), user-keyring(7), keyctl(2) ----
 *
 * Each function returns the result of its call, usually a key's number, or -errno. A keyring is
 * named by its number, or by one of these. */
enum {
    BULLA_KEYRING_THREAD = -1,
    BULLA_KEYRING_SESSION = -3,
    BULLA_KEYRING_USER = -4,
};

/* Puts a `user` key into a keyring, in place of one with the same description. */
int64_t bulla_key_put(int32_t keyring, const char *_Nonnull description,
                      const void *_Nonnull bytes, size_t byte_count);
/* Finds a `user` key in a keyring and in those linked to it. Starts no program to make a key. */
int64_t bulla_key_find(int32_t keyring, const char *_Nonnull description);
/* Copies a key's bytes. Returns how many there are; if there are more than `room`, copies none. */
int64_t bulla_key_read(int32_t key, void *_Nonnull out, size_t room);
/* Has the kernel forget a key after `seconds`; 0 for never. */
int64_t bulla_key_set_timeout(int32_t key, uint32_t seconds);
int64_t bulla_key_link(int32_t key, int32_t keyring);
int64_t bulla_key_unlink(int32_t key, int32_t keyring);
/* Links this user's persistent keyring into the keyring `into`; the kernel makes one if there is
 * none. Returns the number of the persistent keyring. */
int64_t bulla_keyring_persistent(int32_t into);

/* Whether an open file's access list, acl(5), gives rights only to its owner and `user`. Returns 1,
 * 0 (also if there is no list), or -errno. */
int bulla_access_list_is_of(int descriptor, uint32_t user);
/* Whether an open file is a pipe that has no name in any folder. */
bool bulla_is_unnamed_pipe(int descriptor);

/* ---- dumps and heaps ---- */
/* Forbids core dumps of this process from now on, and keeps the user's other processes from looking
 * into it (prctl(2), PR_SET_DUMPABLE). Returns false if the kernel refuses. */
bool bulla_forbid_core_dumps(void);
/* Lets this process's threads share at most `count` heaps from now on (mallopt(3), M_ARENA_MAX).
 * It does nothing with a C library other than glibc. */
void bulla_limit_heaps(int count);

#endif
