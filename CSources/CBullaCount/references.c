/* The Swift runtime's entry points for reference counts, which count each call and pass it on. */
#define _GNU_SOURCE
#include "count.h"

#include <dlfcn.h>
#include <stddef.h>

typedef void *(*retain_function)(void *object);
typedef void (*release_function)(void *object);
typedef void *(*retain_many_function)(void *object, uint32_t count);
typedef void (*release_many_function)(void *object, uint32_t count);

static retain_function real_retain;
static release_function real_release;
static retain_many_function real_retain_many;
static release_many_function real_release_many;

/* Lies in the program's own thread-local memory, so that reading it allocates nothing. */
static _Thread_local uint64_t references;

uint64_t bulla_count_references(void) {
    return references;
}

/* Every entry point calls this, because the runtime may call one before this program's constructors
 * have run. */
static void find_runtime(void) {
    if (real_release_many != NULL) return;
    real_retain = (retain_function)dlsym(RTLD_NEXT, "swift_retain");
    real_release = (release_function)dlsym(RTLD_NEXT, "swift_release");
    real_retain_many = (retain_many_function)dlsym(RTLD_NEXT, "swift_retain_n");
    real_release_many = (release_many_function)dlsym(RTLD_NEXT, "swift_release_n");
}

void *swift_retain(void *object) {
    references += 1;
    find_runtime();
    return real_retain(object);
}

void swift_release(void *object) {
    references += 1;
    find_runtime();
    real_release(object);
}

void *swift_retain_n(void *object, uint32_t count) {
    references += 1;
    find_runtime();
    return real_retain_many(object, count);
}

void swift_release_n(void *object, uint32_t count) {
    references += 1;
    find_runtime();
    real_release_many(object, count);
}

void bulla_count_probe_references(void) {
    swift_release(swift_retain(NULL));
}
