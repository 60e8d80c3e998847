/* Threads that the library starts. */
#define _GNU_SOURCE
#include "CBullaShared.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

struct work {
    void (*run)(void *);
    void *context;
    bool gives_way;
};

/* When one of these threads competes with another for a processor, it gets a third of the other's
 * share: a niceness of 5 weighs 335, one of 0 weighs 1024 (sched(7), kernel/sched/core.c). */
static const int niceness = 5;

/* On Linux, each thread has its own niceness. If the kernel refuses the change, other threads only
 * lose some time. */
static void give_way(void) {
    id_t thread = (id_t)syscall(SYS_gettid);
    errno = 0;
    int former = getpriority(PRIO_PROCESS, thread);
    if (errno == 0) { (void)setpriority(PRIO_PROCESS, thread, former + niceness); }
}

static void *begin(void *argument) {
    struct work work = *(struct work *)argument;
    free(argument);
    if (work.gives_way) { give_way(); }
    work.run(work.context);
    return NULL;
}

bool bulla_thread_run(void (*run)(void *), void *context, bool gives_way) {
    struct work *work = malloc(sizeof *work);
    pthread_attr_t attributes;
    if (work == NULL) { return false; }
    if (pthread_attr_init(&attributes) != 0) {
        free(work);
        return false;
    }
    *work = (struct work){run, context, gives_way};
    /* Block the signals that the program should handle on its own threads, but not faults: the
     * thread that causes a fault gets the signal. */
    sigset_t blocked, former;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGBUS);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGILL);
    sigdelset(&blocked, SIGFPE);
    sigdelset(&blocked, SIGTRAP);
    pthread_sigmask(SIG_SETMASK, &blocked, &former);
    pthread_t thread;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool is_running = pthread_create(&thread, &attributes, begin, work) == 0;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    pthread_attr_destroy(&attributes);
    if (!is_running) { free(work); }
    return is_running;
}
