/* How frames are sealed: AES-256-GCM (NIST SP 800-38D, 7.1 and 7.2), AES-256-CTR (SP 800-38A, 6.5)
 * then HMAC-SHA-256 (FIPS 198-1), or XXH64. The contexts stay from one frame to the next, with the
 * key schedule made once. */
#include "frame_cipher.h"
#include "library.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

enum { counter_bytes = 16 };

static bulla_cipher_status gcm_make(bulla_frame_cipher *cipher, const uint8_t *key) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    cipher->sealing = EVP_CIPHER_CTX_new();
    cipher->opening = EVP_CIPHER_CTX_new();
    BULLA_GUARD(cipher->sealing != NULL && cipher->opening != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->sealing, library->gcm, key, NULL, NULL) == 1 &&
                    EVP_DecryptInit_ex2(cipher->opening, library->gcm, key, NULL, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

/* Runs all of `in` through GCM, after the nonce and what is authenticated beside it. */
static bool gcm_apply(EVP_CIPHER_CTX *gcm, const struct bulla_frame_context *context,
                      const uint8_t *nonce, const void *in, size_t in_len, uint8_t *out) {
    int written = 0;
    /* -1: the direction that the context has. */
    return EVP_CipherInit_ex2(gcm, NULL, NULL, nonce, -1, NULL) == 1 &&
           EVP_CipherUpdate(gcm, NULL, &written, (const uint8_t *)context, sizeof *context) == 1 &&
           EVP_CipherUpdate(gcm, out, &written, in, (int)in_len) == 1 && (size_t)written == in_len;
}

static bulla_cipher_status gcm_seal(bulla_frame_cipher *cipher,
                                    const struct bulla_frame_context *context,
                                    const uint8_t *nonce, const void *in, size_t in_len,
                                    uint8_t *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    int written = 0;
    OSSL_PARAM tag[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, out + in_len,
                                          BULLA_TAG_BYTES),
        OSSL_PARAM_construct_end(),
    };

    BULLA_GUARD(gcm_apply(cipher->sealing, context, nonce, in, in_len, out), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptFinal_ex(cipher->sealing, out + in_len, &written) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_get_params(cipher->sealing, tag) == 1, BULLA_CIPHER_LIBRARY);
done:
    return status;
}

static bulla_cipher_status gcm_open(bulla_frame_cipher *cipher,
                                    const struct bulla_frame_context *context,
                                    const uint8_t *nonce, const uint8_t *in, size_t out_len,
                                    uint8_t *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t end[BULLA_TAG_BYTES]; /* GCM writes nothing at its end, and wants an address */
    int written = 0;
    const OSSL_PARAM tag[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, (void *)(in + out_len),
                                          BULLA_TAG_BYTES),
        OSSL_PARAM_construct_end(),
    };

    BULLA_GUARD(gcm_apply(cipher->opening, context, nonce, in, out_len, out), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_set_params(cipher->opening, tag) == 1, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptFinal_ex(cipher->opening, end, &written) == 1, BULLA_CIPHER_BAD_TAG);
done:
    return status;
}

const struct bulla_frame_suite bulla_frame_gcm = {
    .has_key = true,
    .make = gcm_make,
    .seal = gcm_seal,
    .open = gcm_open,
};

static bulla_cipher_status ctr_make(bulla_frame_cipher *cipher, const uint8_t *key) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    cipher->sealing = EVP_CIPHER_CTX_new();
    BULLA_GUARD(cipher->sealing != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->sealing, library->ctr, key, NULL, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD_OK(bulla_mac_create(key + BULLA_KEY_BYTES, BULLA_KEY_BYTES, &cipher->mac));
done:
    return status;
}

/* Encrypts or decrypts. The counter block is the nonce, then a 32-bit block number from zero, which
 * no frame is long enough to wrap. */
static bulla_cipher_status ctr_apply(bulla_frame_cipher *cipher, const uint8_t *nonce,
                                     const void *in, size_t in_len, uint8_t *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t counter[counter_bytes] = {0};
    int written = 0;

    memcpy(counter, nonce, BULLA_NONCE_BYTES);
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->sealing, NULL, NULL, counter, NULL) == 1 &&
                    EVP_EncryptUpdate(cipher->sealing, out, &written, in, (int)in_len) == 1 &&
                    (size_t)written == in_len,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

/* HMAC-SHA-256 cut to its first 16 bytes (RFC 2104, 5: no less than half). The fields before the
 * ciphertext have fixed lengths, so no two frames give the same input. */
static bulla_cipher_status ctr_tag(bulla_frame_cipher *cipher,
                                   const struct bulla_frame_context *context, const uint8_t *nonce,
                                   const uint8_t *ciphertext, size_t len, uint8_t *tag) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t digest[BULLA_DIGEST_BYTES];
    const bulla_bytes parts[] = {
        {context, sizeof *context},
        {nonce, BULLA_NONCE_BYTES},
        {ciphertext, len},
    };

    BULLA_GUARD_OK(bulla_mac_compute(cipher->mac, parts, sizeof parts / sizeof *parts, digest));
    memcpy(tag, digest, BULLA_TAG_BYTES);
done:
    bulla_wipe(digest, sizeof digest);
    return status;
}

static bulla_cipher_status ctr_seal(bulla_frame_cipher *cipher,
                                    const struct bulla_frame_context *context,
                                    const uint8_t *nonce, const void *in, size_t in_len,
                                    uint8_t *out) {
    bulla_cipher_status status = ctr_apply(cipher, nonce, in, in_len, out);
    return status == BULLA_CIPHER_OK
               ? ctr_tag(cipher, context, nonce, out, in_len, out + in_len)
               : status;
}

/* Verifies first, and deciphers only what verified. */
static bulla_cipher_status ctr_open(bulla_frame_cipher *cipher,
                                    const struct bulla_frame_context *context,
                                    const uint8_t *nonce, const uint8_t *in, size_t out_len,
                                    uint8_t *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t tag[BULLA_TAG_BYTES];

    BULLA_GUARD_OK(ctr_tag(cipher, context, nonce, in, out_len, tag));
    BULLA_GUARD(bulla_equal(tag, in + out_len, sizeof tag), BULLA_CIPHER_BAD_TAG);
    BULLA_GUARD_OK(ctr_apply(cipher, nonce, in, out_len, out));
done:
    bulla_wipe(tag, sizeof tag);
    return status;
}

const struct bulla_frame_suite bulla_frame_ctr_hmac = {
    .has_key = true,
    .make = ctr_make,
    .seal = ctr_seal,
    .open = ctr_open,
};

static bulla_cipher_status plain_make(bulla_frame_cipher *cipher, const uint8_t *key) {
    (void)cipher;
    (void)key;
    return BULLA_CIPHER_OK;
}

/* What stands in the place of the tag: XXH64 of the content, seeded with the XXH64 of the context,
 * which the segment seeds; then zeros. */
static void plain_tag(const bulla_frame_cipher *cipher, const struct bulla_frame_context *context,
                      const uint8_t *content, size_t len, uint8_t *tag) {
    uint64_t seed = bulla_checksum64(context, sizeof *context, cipher->seed);
    uint64_t sum = bulla_little64(bulla_checksum64(content, len, seed));
    memset(tag, 0, BULLA_TAG_BYTES);
    memcpy(tag, &sum, sizeof sum);
}

static bulla_cipher_status plain_seal(bulla_frame_cipher *cipher,
                                      const struct bulla_frame_context *context,
                                      const uint8_t *nonce, const void *in, size_t in_len,
                                      uint8_t *out) {
    (void)nonce;
    /* Summed where it will be written from. */
    if (in != out) {
        memcpy(out, in, in_len);
    }
    plain_tag(cipher, context, out, in_len, out + in_len);
    return BULLA_CIPHER_OK;
}

static bulla_cipher_status plain_open(bulla_frame_cipher *cipher,
                                      const struct bulla_frame_context *context,
                                      const uint8_t *nonce, const uint8_t *in, size_t out_len,
                                      uint8_t *out) {
    static const uint8_t no_nonce[BULLA_NONCE_BYTES] = {0};
    uint8_t tag[BULLA_TAG_BYTES];
    /* Verified where it will be read. */
    memcpy(out, in, out_len);
    plain_tag(cipher, context, out, out_len, tag);
    bool holds = memcmp(tag, in + out_len, sizeof tag) == 0 &&
                 memcmp(nonce, no_nonce, sizeof no_nonce) == 0;
    return holds ? BULLA_CIPHER_OK : BULLA_CIPHER_BAD_TAG;
}

const struct bulla_frame_suite bulla_frame_plain = {
    .has_key = false,
    .make = plain_make,
    .seal = plain_seal,
    .open = plain_open,
};
