#define _GNU_SOURCE
#include "CBullaShared.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* memfd_secret(2), since Linux 5.14; the number is the same on all architectures that have it. */
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

/* Held while a mapping is made and while the process forks, because a child forked between mmap and
 * madvise would inherit the memory. */
static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t holding_forks = PTHREAD_ONCE_INIT;

static void begin_mapping(void) { pthread_mutex_lock(&mapping); }
static void end_mapping(void) { pthread_mutex_unlock(&mapping); }
static void hold_forks(void) { pthread_atfork(begin_mapping, end_mapping, end_mapping); }

static bulla_secret_status map_hidden(size_t byte_count, void **base) {
    int descriptor = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
    if (descriptor < 0) { return BULLA_SECRET_ABSENT; }
    bulla_secret_status status = BULLA_SECRET_ABSENT;
    if (ftruncate(descriptor, (off_t)byte_count) == 0) {
        *base = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        /* The kernel counts such memory as locked, and returns EAGAIN beyond the limit. */
        status = *base != MAP_FAILED  ? BULLA_SECRET_MAPPED
                 : errno == EAGAIN    ? BULLA_SECRET_UNLOCKABLE
                                      : BULLA_SECRET_SHORT;
    }
    int number = errno;
    close(descriptor);
    errno = number;
    return status;
}

static bulla_secret_status map_anonymous(size_t byte_count, bool is_locked, void **base) {
    *base = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*base == MAP_FAILED) { return BULLA_SECRET_SHORT; }
    if (!is_locked || mlock(*base, byte_count) == 0) { return BULLA_SECRET_MAPPED; }
    int number = errno;
    munmap(*base, byte_count);
    errno = number;
    return BULLA_SECRET_UNLOCKABLE;
}

static bulla_secret_status map(size_t byte_count, bulla_secret_kind kind, void **base) {
    bulla_secret_status status = kind == BULLA_SECRET_HIDDEN
                                     ? map_hidden(byte_count, base)
                                     : map_anonymous(byte_count, kind == BULLA_SECRET_LOCKED, base);
    if (status != BULLA_SECRET_MAPPED) { return status; }
    if (madvise(*base, byte_count, MADV_DONTFORK) == 0 &&
        madvise(*base, byte_count, MADV_DONTDUMP) == 0) {
        return BULLA_SECRET_MAPPED;
    }
    int number = errno;
    munmap(*base, byte_count);
    errno = number;
    return BULLA_SECRET_ABSENT;
}

bulla_secret_status bulla_secret_map(size_t byte_count, bulla_secret_kind kind, void **base) {
    pthread_once(&holding_forks, hold_forks);
    begin_mapping();
    bulla_secret_status status = map(byte_count, kind, base);
    int number = errno;
    end_mapping();
    errno = number;
    if (status != BULLA_SECRET_MAPPED) { *base = NULL; }
    return status;
}
