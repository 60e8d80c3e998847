#include "CBullaShared.h"

#include <malloc.h>

void bulla_limit_heaps(int count) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, count);
#else
    (void)count;
#endif
}
