/* Counts the system calls of a stretch of work, from a second process that traces the first. */
#define _GNU_SOURCE
#include "count.h"

#include "CBullaCount.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the traced side ---- */

void bulla_count_begin(bulla_counts *counts) {
    counts->system_calls = BULLA_COUNT_UNKNOWN;
    syscall(SYS_getppid, MARK_WORD, MARK_BEGIN, 0UL);
    counts->allocations = bulla_count_allocations();
    counts->references = bulla_count_references();
}

void bulla_count_end(bulla_counts *counts) {
    counts->references = bulla_count_references() - counts->references;
    uint64_t now = bulla_count_allocations();
    counts->allocations =
        now == BULLA_COUNT_UNKNOWN ? BULLA_COUNT_UNKNOWN : now - counts->allocations;
    syscall(SYS_getppid, MARK_WORD, MARK_END, (unsigned long)&counts->system_calls);
}

void bulla_count_probe(void) {
    /* Volatile, so that the compiler does not remove the unused memory. */
    void *volatile block = malloc(16);
    syscall(SYS_getpid);
    block = realloc(block, 4096);
    syscall(SYS_getpid);
    free(block);
    block = calloc(2, 16);
    free(block);
    bulla_count_probe_references();
}

/* ---- the tracing side ---- */

enum { NO_TRACE_STATUS = 125, SYSTEM_CALL_STOP = SIGTRAP | 0x80 };

/* Waits for the child's next stop or its end. */
static bool await_child(pid_t child, int *status) {
    while (waitpid(child, status, __WALL) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Counts a system call that is about to begin. If the call marks the beginning of a stretch, the
 * count starts at zero; if it marks the end, the child gets the count. */
static bool look_at_call(pid_t child, uint64_t *count) {
    struct __ptrace_syscall_info call;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof call, &call) <= 0) {
        return false;
    }
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY) {
        return true;
    }
    if (call.entry.nr != SYS_getppid || call.entry.args[0] != MARK_WORD) {
        *count += 1;
    } else if (call.entry.args[1] == MARK_BEGIN) {
        *count = 0;
    } else {
        return ptrace(PTRACE_POKEDATA, child, (void *)call.entry.args[2], (void *)*count) == 0;
    }
    return true;
}

static int follow(pid_t child) {
    uint64_t count = 0;
    int status = 0;
    int signal = 0;
    while (ptrace(PTRACE_SYSCALL, child, 0, (void *)(long)signal) == 0 &&
           await_child(child, &status)) {
        signal = 0;
        if (WIFEXITED(status)) {
            return WEXITSTATUS(status) == NO_TRACE_STATUS ? -1 : WEXITSTATUS(status);
        }
        if (WIFSIGNALED(status)) {
            return 128 + WTERMSIG(status);
        }
        if (WSTOPSIG(status) == SYSTEM_CALL_STOP) {
            if (!look_at_call(child, &count)) {
                break;
            }
        } else if (WSTOPSIG(status) != SIGTRAP) {
            signal = WSTOPSIG(status);
        }
    }
    kill(child, SIGKILL);
    await_child(child, &status);
    return -1;
}

int bulla_count_traced(char *const *arguments) {
    int status = 0;
    pid_t child = fork();
    if (child < 0) {
        return -1;
    }
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 && raise(SIGSTOP) == 0) {
            execv(arguments[0], arguments);
        }
        _exit(NO_TRACE_STATUS);
    }
    if (!await_child(child, &status)) {
        return -1;
    }
    if (!WIFSTOPPED(status)) {
        return -1;
    }
    if (ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) {
        kill(child, SIGKILL);
        await_child(child, &status);
        return -1;
    }
    return follow(child);
}
