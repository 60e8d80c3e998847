#define _GNU_SOURCE
#include "CBullaShared.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* How many mappings a process can watch at once: with 1 GiB each, 16 TiB. */
enum { WATCH_LIMIT = 16384 };

typedef struct {
    _Atomic uintptr_t base; /* 0 = free */
    _Atomic size_t byte_count;
    _Atomic uint64_t faults;
    _Atomic int protection;
} watched;

_Atomic uint64_t bulla_fault_total = 0;

static watched watches[WATCH_LIMIT];
static _Atomic int watch_end = 0;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction former;
static uintptr_t page_mask;

static watched *watch_of(uintptr_t address) {
    int end = atomic_load_explicit(&watch_end, memory_order_acquire);
    for (int i = 0; i < end; i++) {
        uintptr_t base = atomic_load_explicit(&watches[i].base, memory_order_acquire);
        if (base != 0 && address >= base && address - base < atomic_load(&watches[i].byte_count)) {
            return &watches[i];
        }
    }
    return NULL;
}

static void pass_on(int number, siginfo_t *info, void *context) {
    if (former.sa_flags & SA_SIGINFO) {
        former.sa_sigaction(number, info, context);
    } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
        former.sa_handler(number);
    } else {
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* Makes only calls that POSIX allows in a handler, and mmap, which is a bare system call. */
static void on_fault(int number, siginfo_t *info, void *context) {
    int saved = errno;
    uintptr_t address = (uintptr_t)info->si_addr;
    watched *watch = watch_of(address);
    if (watch != NULL) {
        void *page = (void *)(address & page_mask);
        void *zeros = mmap(page, ~page_mask + 1, atomic_load(&watch->protection),
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros != MAP_FAILED) {
            atomic_fetch_add(&watch->faults, 1);
            atomic_fetch_add(&bulla_fault_total, 1);
            errno = saved;
            return;
        }
    }
    pass_on(number, info, context);
    errno = saved;
}

static void prepare(void) {
    page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    struct sigaction action = {0};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &former);
}

int bulla_fault_watch(const void *base, size_t byte_count, bool is_writable) {
    pthread_once(&once, prepare);
    pthread_mutex_lock(&changing);
    int i = 0;
    while (i < WATCH_LIMIT && atomic_load(&watches[i].base) != 0) { i++; }
    if (i < WATCH_LIMIT) {
        atomic_store(&watches[i].byte_count, byte_count);
        atomic_store(&watches[i].faults, 0);
        atomic_store(&watches[i].protection, is_writable ? PROT_READ | PROT_WRITE : PROT_READ);
        atomic_store_explicit(&watches[i].base, (uintptr_t)base, memory_order_release);
        if (i >= atomic_load(&watch_end)) {
            atomic_store_explicit(&watch_end, i + 1, memory_order_release);
        }
    }
    pthread_mutex_unlock(&changing);
    return i < WATCH_LIMIT ? i : -1;
}

void bulla_fault_unwatch(int watch) {
    pthread_mutex_lock(&changing);
    atomic_store_explicit(&watches[watch].base, 0, memory_order_release);
    pthread_mutex_unlock(&changing);
}

uint64_t bulla_fault_count_of(int watch) { return atomic_load(&watches[watch].faults); }
