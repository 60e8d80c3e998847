#include "guard.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <sys/random.h>

/* Asks the kernel rather than libcrypto's generator, whose state lies in memory that a fork or a
 * restored virtual machine repeats. */
bulla_cipher_status bulla_random_fill(void *out, size_t out_len) {
    uint8_t *next = out;
    size_t left = out_len;
    while (left > 0) {
        ssize_t got = getrandom(next, left, 0);
        if (got < 0 && errno != EINTR) {
            bulla_wipe(out, out_len);
            return BULLA_CIPHER_RANDOM;
        }
        if (got > 0) {
            next += got;
            left -= (size_t)got;
        }
    }
    return BULLA_CIPHER_OK;
}

void bulla_wipe(void *out, size_t out_len) {
    OPENSSL_cleanse(out, out_len);
}

bool bulla_equal(const void *one, const void *other, size_t len) {
    return CRYPTO_memcmp(one, other, len) == 0;
}
