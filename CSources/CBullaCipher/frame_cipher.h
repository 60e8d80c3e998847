/* A cipher of frames, and the functions of a suite. */
#ifndef BULLA_FRAME_CIPHER_H
#define BULLA_FRAME_CIPHER_H

#include "frame_context.h"
#include "guard.h"

#include <openssl/evp.h>

/* What a suite does to one frame. The lengths have been checked.
 *
 *   make   puts the keys, if the suite has any, into contexts of libcrypto; destroying the cipher
 *          frees them
 *   seal   writes in_len bytes to `out`, and the tag after them
 *   open   reads out_len bytes and then the tag from `in`, writes out_len bytes to `out`, and
 *          verifies the tag; the caller wipes `out` if that fails */
struct bulla_frame_suite {
    bool has_key;
    bulla_cipher_status (*make)(bulla_frame_cipher *cipher, const uint8_t *key);
    bulla_cipher_status (*seal)(bulla_frame_cipher *cipher,
                                const struct bulla_frame_context *context, const uint8_t *nonce,
                                const void *in, size_t in_len, uint8_t *out);
    bulla_cipher_status (*open)(bulla_frame_cipher *cipher,
                                const struct bulla_frame_context *context, const uint8_t *nonce,
                                const uint8_t *in, size_t out_len, uint8_t *out);
};

extern const struct bulla_frame_suite bulla_frame_plain;
extern const struct bulla_frame_suite bulla_frame_gcm;
extern const struct bulla_frame_suite bulla_frame_ctr_hmac;

struct bulla_frame_cipher {
    const struct bulla_frame_suite *suite;
    struct bulla_frame_context segment; /* the parts that all frames share */
    uint64_t seed;                      /* plain only */
    EVP_CIPHER_CTX *sealing;            /* holds the AES key; NULL in plain */
    EVP_CIPHER_CTX *opening;            /* GCM only: its direction is part of the context */
    EVP_CIPHER_CTX *masking;            /* holds the key of the masks; NULL in plain */
    bulla_mac *mac;                     /* holds the HMAC key; CTR only */
};

#endif
