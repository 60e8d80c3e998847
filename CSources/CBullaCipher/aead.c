/* The two ways of sealing that pages and frames share. */
#include "aead.h"
#include "library.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>

enum { counter_bytes = 16 };

bulla_cipher_status bulla_aead_gcm_make(const uint8_t *key, EVP_CIPHER_CTX **sealing,
                                        EVP_CIPHER_CTX **opening) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    *sealing = EVP_CIPHER_CTX_new();
    *opening = EVP_CIPHER_CTX_new();
    BULLA_GUARD(*sealing != NULL && *opening != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_EncryptInit_ex2(*sealing, library->gcm, key, NULL, NULL) == 1 &&
                    EVP_DecryptInit_ex2(*opening, library->gcm, key, NULL, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

/* Runs all of `in` through GCM, after the nonce and the bytes that are only authenticated. */
static bool gcm_apply(EVP_CIPHER_CTX *gcm, bulla_bytes context, const uint8_t *nonce,
                      const void *in, size_t in_len, void *out) {
    int written = 0;
    /* -1 keeps the direction that the context has. */
    return EVP_CipherInit_ex2(gcm, NULL, NULL, nonce, -1, NULL) == 1 &&
           EVP_CipherUpdate(gcm, NULL, &written, context.base, (int)context.byte_count) == 1 &&
           EVP_CipherUpdate(gcm, out, &written, in, (int)in_len) == 1 && (size_t)written == in_len;
}

bulla_cipher_status bulla_aead_gcm_seal(EVP_CIPHER_CTX *sealing, bulla_bytes context,
                                        const uint8_t *nonce, const void *in, size_t in_len,
                                        void *out, uint8_t *tag) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t end[BULLA_TAG_BYTES]; /* GCM writes nothing at its end, but needs an address */
    int written = 0;
    OSSL_PARAM made[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, BULLA_TAG_BYTES),
        OSSL_PARAM_construct_end(),
    };

    BULLA_GUARD(gcm_apply(sealing, context, nonce, in, in_len, out), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptFinal_ex(sealing, end, &written) == 1, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_get_params(sealing, made) == 1, BULLA_CIPHER_LIBRARY);
done:
    return status;
}

bulla_cipher_status bulla_aead_gcm_open(EVP_CIPHER_CTX *opening, bulla_bytes context,
                                        const uint8_t *nonce, const void *in, size_t in_len,
                                        void *out, const uint8_t *tag) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t end[BULLA_TAG_BYTES];
    int written = 0;
    const OSSL_PARAM expected[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, (void *)tag,
                                          BULLA_TAG_BYTES),
        OSSL_PARAM_construct_end(),
    };

    BULLA_GUARD(gcm_apply(opening, context, nonce, in, in_len, out), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_set_params(opening, expected) == 1, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptFinal_ex(opening, end, &written) == 1, BULLA_CIPHER_BAD_TAG);
done:
    return status;
}

bulla_cipher_status bulla_aead_ctr_make(const uint8_t *key, EVP_CIPHER_CTX **ctr, bulla_mac **mac) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    *ctr = EVP_CIPHER_CTX_new();
    BULLA_GUARD(*ctr != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_EncryptInit_ex2(*ctr, library->ctr, key, NULL, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD_OK(bulla_mac_create(key + BULLA_KEY_BYTES, BULLA_KEY_BYTES, mac));
done:
    return status;
}

/* Encrypts or decrypts, which are the same in counter mode. The counter block is the nonce, then a
 * 32-bit block number from zero, which never wraps: no input is long enough. */
static bulla_cipher_status ctr_apply(EVP_CIPHER_CTX *ctr, const uint8_t *nonce, const void *in,
                                     size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t counter[counter_bytes] = {0};
    int written = 0;

    memcpy(counter, nonce, BULLA_NONCE_BYTES);
    BULLA_GUARD(EVP_EncryptInit_ex2(ctr, NULL, NULL, counter, NULL) == 1 &&
                    EVP_EncryptUpdate(ctr, out, &written, in, (int)in_len) == 1 &&
                    (size_t)written == in_len,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

static bulla_cipher_status ctr_tag(bulla_mac *mac, bulla_bytes context, const uint8_t *nonce,
                                   const void *ciphertext, size_t len, uint8_t *tag) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t digest[BULLA_DIGEST_BYTES];
    const bulla_bytes parts[] = {
        context,
        {nonce, BULLA_NONCE_BYTES},
        {ciphertext, len},
    };

    BULLA_GUARD_OK(bulla_mac_compute(mac, parts, sizeof parts / sizeof *parts, digest));
    memcpy(tag, digest, BULLA_TAG_BYTES);
done:
    bulla_wipe(digest, sizeof digest);
    return status;
}

bulla_cipher_status bulla_aead_ctr_seal(EVP_CIPHER_CTX *ctr, bulla_mac *mac, bulla_bytes context,
                                        const uint8_t *nonce, const void *in, size_t in_len,
                                        void *out, uint8_t *tag) {
    bulla_cipher_status status = ctr_apply(ctr, nonce, in, in_len, out);
    return status == BULLA_CIPHER_OK ? ctr_tag(mac, context, nonce, out, in_len, tag) : status;
}

bulla_cipher_status bulla_aead_ctr_open(EVP_CIPHER_CTX *ctr, bulla_mac *mac, bulla_bytes context,
                                        const uint8_t *nonce, const void *in, size_t in_len,
                                        void *out, const uint8_t *tag) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t computed[BULLA_TAG_BYTES];

    BULLA_GUARD_OK(ctr_tag(mac, context, nonce, in, in_len, computed));
    BULLA_GUARD(bulla_equal(computed, tag, sizeof computed), BULLA_CIPHER_BAD_TAG);
    BULLA_GUARD_OK(ctr_apply(ctr, nonce, in, in_len, out));
done:
    bulla_wipe(computed, sizeof computed);
    return status;
}
