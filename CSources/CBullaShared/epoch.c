#define _GNU_SOURCE
#include "CBullaShared.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Epoch 0 means "no operation", so the count begins at 1. */
_Atomic uint64_t bulla_epoch_now = 1;
bool bulla_epoch_needs_fence = true;
_Thread_local bulla_epoch_record *bulla_epoch_local = NULL;

static _Atomic(bulla_epoch_record *) all_records = NULL;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;

static void give_back(void *value) {
    bulla_epoch_record *record = value;
    atomic_store_explicit(&record->active, 0, memory_order_release);
    /* Thread-local destructors that run later must not use a record that another thread may own. */
    bulla_epoch_local = NULL;
    atomic_store_explicit(&record->is_used, 0, memory_order_release);
}

/* A child of a fork has only the thread that forked. The operations of the other threads never end
 * there, so the child must not wait for them. */
static void forget_other_threads(void) {
    bulla_epoch_record *record = atomic_load_explicit(&all_records, memory_order_acquire);
    for (; record != NULL; record = record->next) {
        if (record == bulla_epoch_local) { continue; }
        for (int i = 0; i < BULLA_EPOCH_HELD_LIMIT; i++) { atomic_store(&record->held[i], 0); }
        for (int i = 0; i < BULLA_GATE_LIMIT; i++) { atomic_store(&record->inside[i], 0); }
        atomic_store(&record->active, 0);
        atomic_store(&record->is_used, 0);
    }
}

static void prepare(void) {
    pthread_key_create(&thread_end, give_back);
    pthread_atfork(NULL, NULL, forget_other_threads);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) {
        bulla_epoch_needs_fence = false;
    }
}

static bulla_epoch_record *reuse(void) {
    bulla_epoch_record *record = atomic_load_explicit(&all_records, memory_order_acquire);
    for (; record != NULL; record = record->next) {
        uint32_t unused = 0;
        if (atomic_compare_exchange_strong(&record->is_used, &unused, 1)) { return record; }
    }
    return NULL;
}

static bulla_epoch_record *make(void) {
    bulla_epoch_record *record = aligned_alloc(64, sizeof *record);
    /* Without a record, the thread could not protect the frames that it reads. A record is so small
     * that this hardly ever happens. */
    if (record == NULL) { abort(); }
    memset(record, 0, sizeof *record);
    atomic_store(&record->is_used, 1);
    bulla_epoch_record *head = atomic_load(&all_records);
    do { record->next = head; } while (!atomic_compare_exchange_weak(&all_records, &head, record));
    return record;
}

bulla_epoch_record *bulla_epoch_register(void) {
    pthread_once(&once, prepare);
    bulla_epoch_record *record = reuse();
    if (record == NULL) { record = make(); }
    record->depth = 0;
    record->held_count = 0;
    record->inside_count = 0;
    bulla_epoch_local = record;
    pthread_setspecific(thread_end, record);
    return record;
}

static void everyone_fences(void) {
    atomic_thread_fence(memory_order_seq_cst);
    if (!bulla_epoch_needs_fence) {
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    }
}

uint64_t bulla_epoch_begin(void) {
    pthread_once(&once, prepare);
    uint64_t end = atomic_fetch_add(&bulla_epoch_now, 1) + 1;
    everyone_fences();
    return end;
}

static bool has_ended(bulla_epoch_record *record, uint64_t end) {
    uint64_t active = atomic_load_explicit(&record->active, memory_order_acquire);
    return active == 0 || active >= end;
}

bool bulla_epoch_has_ended(uint64_t end) {
    bulla_epoch_record *record = atomic_load_explicit(&all_records, memory_order_acquire);
    for (; record != NULL; record = record->next) {
        if (!has_ended(record, end)) { return false; }
    }
    return true;
}

void bulla_epoch_synchronize(void) {
    uint64_t end = bulla_epoch_begin();
    bulla_epoch_record *record = atomic_load_explicit(&all_records, memory_order_acquire);
    for (; record != NULL; record = record->next) {
        /* An operation is short: it never waits, and no closure is part of it. So yield first, then
         * sleep. */
        for (int turns = 0; !has_ended(record, end); turns++) {
            if (turns < 64) { sched_yield(); continue; }
            nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        }
    }
}

bool bulla_epoch_is_held(uint64_t frame) {
    bulla_epoch_record *record = atomic_load_explicit(&all_records, memory_order_acquire);
    for (; record != NULL; record = record->next) {
        for (int i = 0; i < BULLA_EPOCH_HELD_LIMIT; i++) {
            uint64_t held = atomic_load_explicit(&record->held[i], memory_order_acquire);
            if (held == frame) { return true; }
        }
    }
    return false;
}

size_t bulla_epoch_held(uint64_t low, uint64_t high, uint64_t *frames, size_t room) {
    size_t count = 0;
    bulla_epoch_record *record = atomic_load_explicit(&all_records, memory_order_acquire);
    for (; record != NULL; record = record->next) {
        for (int i = 0; i < BULLA_EPOCH_HELD_LIMIT; i++) {
            uint64_t held = atomic_load_explicit(&record->held[i], memory_order_acquire);
            if (held < low || held >= high) { continue; }
            if (count < room) { frames[count] = held; }
            count++;
        }
    }
    return count;
}

void bulla_gate_synchronize(void) {
    pthread_once(&once, prepare);
    everyone_fences();
}

bulla_gate_presence bulla_gate_look(uint64_t gate) {
    bulla_gate_presence found = BULLA_GATE_EMPTY;
    bulla_epoch_record *record = atomic_load_explicit(&all_records, memory_order_acquire);
    for (; record != NULL; record = record->next) {
        for (int i = 0; i < BULLA_GATE_LIMIT; i++) {
            uint64_t inside = atomic_load_explicit(&record->inside[i], memory_order_acquire);
            if (inside != gate) { continue; }
            if (record == bulla_epoch_local) { return BULLA_GATE_SELF; }
            found = BULLA_GATE_OTHERS;
        }
    }
    return found;
}
