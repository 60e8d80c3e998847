#include "CBullaShared.h"

#include <sys/prctl.h>
#include <sys/resource.h>

bool bulla_forbid_core_dumps(void) {
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    /* The limit alone is not enough if the kernel hands dumps to a program (core(5)). */
    return prctl(PR_SET_DUMPABLE, 0) == 0 && setrlimit(RLIMIT_CORE, &none) == 0;
}
