/* AES-256-CTR pages (NIST SP 800-38A, 6.5), then HMAC-SHA-256 (FIPS 198-1) over the context, the
 * nonce and the ciphertext, cut to its first 16 bytes (RFC 2104, 5: no less than half). */
#include "library.h"
#include "page_cipher.h"

enum { counter_bytes = 16 };

static bulla_cipher_status ctr_hmac_make(bulla_page_cipher *cipher, const uint8_t *key) {
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

/* Encrypts or decrypts: in counter mode they are the same. The counter block is the nonce, then a
 * 32-bit block number from zero, which no page is long enough to wrap. */
static bulla_cipher_status apply_counter(bulla_page_cipher *cipher, const uint8_t *nonce,
                                         const void *in, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t counter[counter_bytes] = {0};
    int content_bytes = (int)cipher->content_bytes;
    int written = 0;

    memcpy(counter, nonce, BULLA_NONCE_BYTES);
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->sealing, NULL, NULL, counter, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptUpdate(cipher->sealing, out, &written, in, content_bytes) == 1 &&
                    written == content_bytes,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

/* The fields before the ciphertext have fixed lengths, so no two pages give the same input. */
static bulla_cipher_status authenticate(bulla_page_cipher *cipher,
                                        const struct bulla_page_context *context,
                                        const uint8_t *nonce, const void *ciphertext,
                                        uint8_t *tag) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t digest[BULLA_DIGEST_BYTES];
    const bulla_bytes parts[] = {
        {context, sizeof *context},
        {nonce, BULLA_NONCE_BYTES},
        {ciphertext, cipher->content_bytes},
    };

    BULLA_GUARD_OK(bulla_mac_compute(cipher->mac, parts, sizeof parts / sizeof *parts, digest));
    memcpy(tag, digest, BULLA_TAG_BYTES);
done:
    bulla_wipe(digest, sizeof digest);
    return status;
}

static bulla_cipher_status ctr_hmac_seal(bulla_page_cipher *cipher,
                                         const struct bulla_page_context *context, const void *in,
                                         void *out, struct bulla_page_trailer *trailer) {
    bulla_cipher_status status = apply_counter(cipher, trailer->nonce, in, out);
    return status == BULLA_CIPHER_OK
               ? authenticate(cipher, context, trailer->nonce, out, trailer->tag)
               : status;
}

/* Verifies first, and deciphers only what verified. */
static bulla_cipher_status ctr_hmac_open(bulla_page_cipher *cipher,
                                         const struct bulla_page_context *context, const void *in,
                                         void *out, const struct bulla_page_trailer *trailer) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t tag[BULLA_TAG_BYTES];

    BULLA_GUARD_OK(authenticate(cipher, context, trailer->nonce, in, tag));
    BULLA_GUARD(bulla_equal(tag, trailer->tag, sizeof tag), BULLA_CIPHER_BAD_TAG);
    BULLA_GUARD_OK(apply_counter(cipher, trailer->nonce, in, out));
done:
    bulla_wipe(tag, sizeof tag);
    return status;
}

const struct bulla_page_suite bulla_suite_ctr_hmac = {
    .has_key = true,
    .make = ctr_hmac_make,
    .seal = ctr_hmac_seal,
    .open = ctr_hmac_open,
};
