/* A page cipher, and the functions of a suite. */
#ifndef BULLA_PAGE_CIPHER_H
#define BULLA_PAGE_CIPHER_H

#include "guard.h"
#include "page_context.h"

#include <openssl/evp.h>

/* What a suite does to one page. The lengths have been checked. `trailer` is a private copy,
 * because a page can lie in shared memory and change while it is read.
 *
 *   make   puts the key into contexts of libcrypto; destroying the cipher frees them
 *   seal   writes content_bytes to `out`, and the tag to `trailer`, whose nonce and epoch are set
 *   open   verifies, and writes content_bytes to `out`; check and epoch are known to be right */
struct bulla_page_suite {
    bool has_key;
    bulla_cipher_status (*make)(bulla_page_cipher *cipher, const uint8_t *key);
    bulla_cipher_status (*seal)(bulla_page_cipher *cipher, const struct bulla_page_context *context,
                                const void *in, void *out, struct bulla_page_trailer *trailer);
    bulla_cipher_status (*open)(bulla_page_cipher *cipher, const struct bulla_page_context *context,
                                const void *in, void *out,
                                const struct bulla_page_trailer *trailer);
};

extern const struct bulla_page_suite bulla_suite_plain;
extern const struct bulla_page_suite bulla_suite_gcm;
extern const struct bulla_page_suite bulla_suite_ctr_hmac;

struct bulla_page_cipher {
    const struct bulla_page_suite *suite;
    size_t content_bytes;
    struct bulla_page_context file; /* the parts that all pages share */
    EVP_CIPHER_CTX *sealing;        /* holds the AES key; NULL in plain */
    EVP_CIPHER_CTX *opening;        /* GCM only: its direction is part of the context */
    bulla_mac *mac;                 /* holds the HMAC key; CTR only */
};

#endif
