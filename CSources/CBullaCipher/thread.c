#include "CBullaCipher.h"

#include <stdatomic.h>

unsigned bulla_thread_ordinal(void) {
    static atomic_uint next = 1;
    static _Thread_local unsigned ordinal;
    if (ordinal == 0) {
        ordinal = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    }
    return ordinal - 1;
}
