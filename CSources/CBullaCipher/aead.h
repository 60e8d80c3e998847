/* The two ways of sealing that pages and frames share. Contexts of libcrypto stay from one call to
 * the next, so the key schedule is made once: a call only sets the nonce. */
#ifndef BULLA_AEAD_H
#define BULLA_AEAD_H

#include "guard.h"

#include <openssl/evp.h>

/* AES-256-GCM (NIST SP 800-38D, 7.1 and 7.2): one context for each direction. Even if the call
 * fails, the caller has to free the contexts that the call has made. */
bulla_cipher_status bulla_aead_gcm_make(const uint8_t *key, EVP_CIPHER_CTX **sealing,
                                        EVP_CIPHER_CTX **opening);

/* Writes in_len bytes to `out`, and BULLA_TAG_BYTES to `tag`. */
bulla_cipher_status bulla_aead_gcm_seal(EVP_CIPHER_CTX *sealing, bulla_bytes context,
                                        const uint8_t *nonce, const void *in, size_t in_len,
                                        void *out, uint8_t *tag);

/* Writes in_len bytes to `out`, and only then says whether the tag is right. */
bulla_cipher_status bulla_aead_gcm_open(EVP_CIPHER_CTX *opening, bulla_bytes context,
                                        const uint8_t *nonce, const void *in, size_t in_len,
                                        void *out, const uint8_t *tag);

/* AES-256-CTR (NIST SP 800-38A, 6.5), then HMAC-SHA-256 (FIPS 198-1) over the context, the nonce
 * and the ciphertext, cut to its first 16 bytes (RFC 2104, 5: no less than half). All `context`s of
 * one key have the same length, so different inputs never join into the same bytes. The HMAC key
 * follows the AES key. */
bulla_cipher_status bulla_aead_ctr_make(const uint8_t *key, EVP_CIPHER_CTX **ctr, bulla_mac **mac);

/* Writes in_len bytes to `out`, and BULLA_TAG_BYTES to `tag`. */
bulla_cipher_status bulla_aead_ctr_seal(EVP_CIPHER_CTX *ctr, bulla_mac *mac, bulla_bytes context,
                                        const uint8_t *nonce, const void *in, size_t in_len,
                                        void *out, uint8_t *tag);

/* Verifies first, and decrypts only verified bytes. */
bulla_cipher_status bulla_aead_ctr_open(EVP_CIPHER_CTX *ctr, bulla_mac *mac, bulla_bytes context,
                                        const uint8_t *nonce, const void *in, size_t in_len,
                                        void *out, const uint8_t *tag);

#endif
