/* AES-256-CTR pages with HMAC-SHA-256. */
#include "aead.h"
#include "page_cipher.h"

static bulla_cipher_status ctr_hmac_make(bulla_page_cipher *cipher, const uint8_t *key) {
    return bulla_aead_ctr_make(key, &cipher->sealing, &cipher->mac);
}

static bulla_cipher_status ctr_hmac_seal(bulla_page_cipher *cipher,
                                         const struct bulla_page_context *context, const void *in,
                                         void *out, struct bulla_page_trailer *trailer) {
    return bulla_aead_ctr_seal(cipher->sealing, cipher->mac,
                               (bulla_bytes){context, sizeof *context}, trailer->nonce, in,
                               cipher->content_bytes, out, trailer->tag);
}

static bulla_cipher_status ctr_hmac_open(bulla_page_cipher *cipher,
                                         const struct bulla_page_context *context, const void *in,
                                         void *out, const struct bulla_page_trailer *trailer) {
    return bulla_aead_ctr_open(cipher->sealing, cipher->mac,
                               (bulla_bytes){context, sizeof *context}, trailer->nonce, in,
                               cipher->content_bytes, out, trailer->tag);
}

const struct bulla_page_suite bulla_suite_ctr_hmac = {
    .has_key = true,
    .make = ctr_hmac_make,
    .seal = ctr_hmac_seal,
    .open = ctr_hmac_open,
};
