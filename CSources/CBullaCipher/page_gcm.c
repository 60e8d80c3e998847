/* AES-256-GCM pages. */
#include "aead.h"
#include "page_cipher.h"

static bulla_cipher_status gcm_make(bulla_page_cipher *cipher, const uint8_t *key) {
    return bulla_aead_gcm_make(key, &cipher->sealing, &cipher->opening);
}

static bulla_cipher_status gcm_seal(bulla_page_cipher *cipher,
                                    const struct bulla_page_context *context, const void *in,
                                    void *out, struct bulla_page_trailer *trailer) {
    return bulla_aead_gcm_seal(cipher->sealing, (bulla_bytes){context, sizeof *context},
                               trailer->nonce, in, cipher->content_bytes, out, trailer->tag);
}

static bulla_cipher_status gcm_open(bulla_page_cipher *cipher,
                                    const struct bulla_page_context *context, const void *in,
                                    void *out, const struct bulla_page_trailer *trailer) {
    return bulla_aead_gcm_open(cipher->opening, (bulla_bytes){context, sizeof *context},
                               trailer->nonce, in, cipher->content_bytes, out, trailer->tag);
}

const struct bulla_page_suite bulla_suite_gcm = {
    .has_key = true,
    .make = gcm_make,
    .seal = gcm_seal,
    .open = gcm_open,
};
