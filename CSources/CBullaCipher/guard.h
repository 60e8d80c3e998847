/* How a function of this library returns: through one exit, with the status of the first call that
 * failed. */
#ifndef BULLA_GUARD_H
#define BULLA_GUARD_H

#include "CBullaCipher.h"

/* Goes to `done` with `failure` unless `condition` holds. Needs a `status` and a label `done`. */
#define BULLA_GUARD(condition, failure)                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            status = (failure);                                                                    \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* Goes to `done` with the status of `call` unless it is OK. */
#define BULLA_GUARD_OK(call)                                                                       \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != BULLA_CIPHER_OK) {                                                           \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#endif
