#include "CBullaShared.h"

#include <sys/resource.h>

static uint64_t limit_of(int resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) { return UINT64_MAX; }
    return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : (uint64_t)limit.rlim_cur;
}

uint64_t bulla_secret_byte_limit(void) { return limit_of(RLIMIT_MEMLOCK); }

uint64_t bulla_address_space_limit(void) { return limit_of(RLIMIT_AS); }

uint64_t bulla_file_byte_limit(void) { return limit_of(RLIMIT_FSIZE); }
