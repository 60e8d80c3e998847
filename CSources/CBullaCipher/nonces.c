/* Random nonces in batches: a call of getrandom(2) for each would cost as much as the sealing.
 *
 * Two seals under the same key and the same nonce reveal how their cleartexts differ, and let an
 * attacker forge seals. A copy of this memory would use the same nonces as the original, so a batch
 * serves only
 *
 *   one process   a forked child finds zero in a page that the kernel wipes on fork, and makes a
 *                 generation of its own; if the kernel does not wipe, there are no batches
 *   one tick      of the coarse clock, 1 to 10 ms, so that no old batch is used
 *
 * One risk remains. A machine or a process that is saved within the tick in which it drew a batch,
 * and restored twice, can take the rest of that batch twice before its clock ticks. An operator who
 * clones running machines should pause the writers for a tick before the snapshot. */
#define _GNU_SOURCE
#include "guard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct bulla_nonces {
    uint64_t generation; /* that of the process that drew the batch; 0 = no batch */
    uint64_t tick;       /* the one in which the batch was drawn */
    size_t left;
    uint8_t batch[BULLA_NONCE_BATCH_COUNT][BULLA_VAULT_NONCE_BYTES];
};

/* One word in a page of its own: random, the same for the whole process, and zero in a child until
 * the child first asks. NULL if the kernel does not wipe on fork (before Linux 4.14). */
static _Atomic uint64_t *generation_word;
static pthread_once_t generation_once = PTHREAD_ONCE_INIT;

static void map_generation(void) {
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page =
        mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return;
    }
    if (madvise(page, page_bytes, MADV_WIPEONFORK) != 0) {
        munmap(page, page_bytes);
        return;
    }
    generation_word = page;
}

/* This process's generation, or 0 if no batch can be kept. Threads that ask first at the same time
 * agree on one. */
static uint64_t generation_now(void) {
    if (pthread_once(&generation_once, map_generation) != 0 || generation_word == NULL) {
        return 0;
    }
    uint64_t now = atomic_load_explicit(generation_word, memory_order_relaxed);
    if (now != 0) {
        return now;
    }
    uint64_t made = 0;
    if (bulla_random_fill(&made, sizeof made) != BULLA_CIPHER_OK) {
        return 0;
    }
    return atomic_compare_exchange_strong_explicit(generation_word, &now, made,
                                                   memory_order_relaxed, memory_order_relaxed)
               ? made
               : now;
}

bulla_cipher_status bulla_nonces_create(bulla_nonces **out) {
    *out = calloc(1, sizeof **out);
    return *out != NULL ? BULLA_CIPHER_OK : BULLA_CIPHER_MEMORY;
}

void bulla_nonces_destroy(bulla_nonces *nonces) {
    if (nonces != NULL) {
        bulla_wipe(nonces, sizeof *nonces);
        free(nonces);
    }
}

bulla_cipher_status bulla_nonces_take(bulla_nonces *nonces, uint64_t tick, void *out) {
    uint64_t generation = generation_now();
    if (generation == 0) {
        return bulla_random_fill(out, BULLA_VAULT_NONCE_BYTES);
    }
    if (nonces->left == 0 || nonces->generation != generation || nonces->tick != tick) {
        nonces->left = 0;
        bulla_cipher_status status = bulla_random_fill(nonces->batch, sizeof nonces->batch);
        if (status != BULLA_CIPHER_OK) {
            return status;
        }
        nonces->generation = generation;
        nonces->tick = tick;
        nonces->left = BULLA_NONCE_BATCH_COUNT;
    }
    nonces->left -= 1;
    memcpy(out, nonces->batch[nonces->left], BULLA_VAULT_NONCE_BYTES);
    return BULLA_CIPHER_OK;
}

size_t bulla_nonces_left(const bulla_nonces *nonces) {
    return nonces->left;
}

uint64_t bulla_nonces_tick(void) {
    struct timespec now = {0};
    /* It cannot fail: Linux has had the clock since 2.6.32, and `now` is ours. */
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
