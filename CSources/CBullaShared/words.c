#define _GNU_SOURCE
#include "CBullaShared.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

void bulla_futex_wait(const void *word, uint32_t expected, int64_t nanoseconds) {
    struct timespec limit = {
        .tv_sec = nanoseconds / 1000000000,
        .tv_nsec = nanoseconds % 1000000000,
    };
    syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, NULL, 0);
}

int bulla_futex_wake(const void *word, int count) {
    long woken = syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
    return woken < 0 ? 0 : (int)woken;
}

static struct flock range(int64_t offset, int64_t byte_count, bulla_lock_kind kind) {
    struct flock lock = {0};
    lock.l_type = kind == BULLA_LOCK_NONE ? F_UNLCK : kind == BULLA_LOCK_SHARED ? F_RDLCK : F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = offset;
    lock.l_len = byte_count;
    return lock;
}

int bulla_lock_byte(int descriptor, int64_t offset, bulla_lock_kind kind) {
    struct flock lock = range(offset, 1, kind);
    while (fcntl(descriptor, F_OFD_SETLK, &lock) != 0) {
        if (errno != EINTR) { return errno == EACCES ? EAGAIN : errno; }
    }
    return 0;
}

int bulla_lock_probe(int descriptor, int64_t offset, int64_t byte_count, bulla_lock_kind kind) {
    struct flock lock = range(offset, byte_count, kind);
    while (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) {
        if (errno != EINTR) { return -errno; }
    }
    return lock.l_type == F_UNLCK ? 0 : 1;
}

int bulla_open(const char *path, int flags, unsigned mode) {
    return open(path, flags, (mode_t)mode);
}

/* How many descriptors the list has room for; a store that is open for writing needs about six. */
enum { FORGOTTEN_LIMIT = 16384 };
static _Atomic int forgotten[FORGOTTEN_LIMIT]; /* a descriptor plus one; 0 = free */
static pthread_once_t forgetting = PTHREAD_ONCE_INIT;

static void name_nothing(int descriptor) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0) { return; }
    dup3(nothing, descriptor, O_CLOEXEC);
    close(nothing);
}

/* Closes the files but unlocks nothing: a lock belongs to the open file, which the parent has
 * too. */
static void forget_in_child(void) {
    for (int i = 0; i < FORGOTTEN_LIMIT; i++) {
        int descriptor = atomic_load(&forgotten[i]) - 1;
        if (descriptor < 0) { continue; }
        /* Close first, so that the child lets go of the file even if it cannot open /dev/null. The
         * child has no other thread that could take the number meanwhile. */
        close(descriptor);
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing < 0 || nothing == descriptor) { continue; }
        dup3(nothing, descriptor, O_CLOEXEC);
        close(nothing);
    }
}

static void prepare_to_forget(void) { pthread_atfork(NULL, NULL, forget_in_child); }

bool bulla_forget_in_child(int descriptor) {
    pthread_once(&forgetting, prepare_to_forget);
    for (int i = 0; i < FORGOTTEN_LIMIT; i++) {
        int unused = 0;
        if (atomic_load(&forgotten[i]) != unused) { continue; }
        if (atomic_compare_exchange_strong(&forgotten[i], &unused, descriptor + 1)) { return true; }
    }
    return false;
}

void bulla_keep_in_child(int descriptor) {
    for (int i = 0; i < FORGOTTEN_LIMIT; i++) {
        int known = descriptor + 1;
        if (atomic_load(&forgotten[i]) != known) { continue; }
        if (atomic_compare_exchange_strong(&forgotten[i], &known, 0)) { return; }
    }
}

void bulla_void_descriptor(int descriptor) {
    /* A mapping can keep the open file and its locks alive after the descriptor is gone. */
    struct flock everything = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(descriptor, F_OFD_SETLK, &everything);
    name_nothing(descriptor);
}

uint64_t bulla_file_system_kind(int descriptor) {
    struct statfs about;
    return fstatfs(descriptor, &about) == 0 ? (uint64_t)(unsigned long)about.f_type : 0;
}

bool bulla_file_look(int descriptor, const char *path, bulla_file_facts *facts) {
    struct statx about;
    int flags = path[0] == 0 ? AT_EMPTY_PATH : 0;
    if (statx(descriptor, path, flags, STATX_TYPE | STATX_INO | STATX_SIZE, &about) != 0) {
        return false;
    }
    *facts = (bulla_file_facts){
        .device = (uint64_t)about.stx_dev_major << 32 | about.stx_dev_minor,
        .inode = about.stx_ino,
        .byte_count = about.stx_size,
        .is_regular = S_ISREG(about.stx_mode),
    };
    return true;
}

uint64_t bulla_file_space_left(int descriptor) {
    struct statvfs about;
    if (fstatvfs(descriptor, &about) != 0) { return UINT64_MAX; }
    return (uint64_t)about.f_bavail * (uint64_t)about.f_frsize;
}

bool bulla_start_write_back(int descriptor, uint64_t offset, uint64_t byte_count) {
    return sync_file_range(descriptor, (off_t)offset, (off_t)byte_count, SYNC_FILE_RANGE_WRITE) ==
           0;
}

bool bulla_await_write_back(int descriptor, uint64_t offset, uint64_t byte_count) {
    return sync_file_range(descriptor, (off_t)offset, (off_t)byte_count,
                           SYNC_FILE_RANGE_WAIT_BEFORE) == 0;
}

static pthread_once_t watching_forks = PTHREAD_ONCE_INIT;
static _Atomic uint64_t *fork_word = NULL;
static _Atomic uint64_t process_count = 0;

static void unmark_child(void) { atomic_store(fork_word, 0); }

static void watch_forks(void) {
    long page = sysconf(_SC_PAGESIZE);
    void *word = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0);
    if (word == MAP_FAILED) { return; }
    fork_word = word;
    /* Before Linux 4.14, a child clears the word itself, provided that it was forked through the C
     * library. */
    if (madvise(word, (size_t)page, MADV_WIPEONFORK) != 0) {
        pthread_atfork(NULL, NULL, unmark_child);
    }
}

const void *bulla_fork_sentinel(uint64_t *mark) {
    pthread_once(&watching_forks, watch_forks);
    if (fork_word == NULL) { return NULL; }
    /* A child finds 0 in the word, but its parent's value in the count, so it takes a new mark. */
    uint64_t none = 0;
    if (atomic_load(fork_word) == 0) {
        atomic_compare_exchange_strong(fork_word, &none, atomic_fetch_add(&process_count, 1) + 1);
    }
    *mark = atomic_load(fork_word);
    return fork_word;
}
