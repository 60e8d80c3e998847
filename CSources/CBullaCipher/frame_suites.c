/* How frames are sealed: AES-256-GCM, AES-256-CTR with HMAC-SHA-256, or XXH64. */
#include "aead.h"
#include "frame_cipher.h"

static bulla_cipher_status gcm_make(bulla_frame_cipher *cipher, const uint8_t *key) {
    return bulla_aead_gcm_make(key, &cipher->sealing, &cipher->opening);
}

static bulla_cipher_status gcm_seal(bulla_frame_cipher *cipher,
                                    const struct bulla_frame_context *context,
                                    const uint8_t *nonce, const void *in, size_t in_len,
                                    uint8_t *out) {
    return bulla_aead_gcm_seal(cipher->sealing, (bulla_bytes){context, sizeof *context}, nonce, in,
                               in_len, out, out + in_len);
}

static bulla_cipher_status gcm_open(bulla_frame_cipher *cipher,
                                    const struct bulla_frame_context *context,
                                    const uint8_t *nonce, const uint8_t *in, size_t out_len,
                                    uint8_t *out) {
    return bulla_aead_gcm_open(cipher->opening, (bulla_bytes){context, sizeof *context}, nonce, in,
                               out_len, out, in + out_len);
}

const struct bulla_frame_suite bulla_frame_gcm = {
    .has_key = true,
    .make = gcm_make,
    .seal = gcm_seal,
    .open = gcm_open,
};

static bulla_cipher_status ctr_make(bulla_frame_cipher *cipher, const uint8_t *key) {
    return bulla_aead_ctr_make(key, &cipher->sealing, &cipher->mac);
}

static bulla_cipher_status ctr_seal(bulla_frame_cipher *cipher,
                                    const struct bulla_frame_context *context,
                                    const uint8_t *nonce, const void *in, size_t in_len,
                                    uint8_t *out) {
    return bulla_aead_ctr_seal(cipher->sealing, cipher->mac,
                               (bulla_bytes){context, sizeof *context}, nonce, in, in_len, out,
                               out + in_len);
}

static bulla_cipher_status ctr_open(bulla_frame_cipher *cipher,
                                    const struct bulla_frame_context *context,
                                    const uint8_t *nonce, const uint8_t *in, size_t out_len,
                                    uint8_t *out) {
    return bulla_aead_ctr_open(cipher->sealing, cipher->mac,
                               (bulla_bytes){context, sizeof *context}, nonce, in, out_len, out,
                               in + out_len);
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

/* The bytes in place of a tag: XXH64 of the content, then zeros. The seed is the XXH64 of the
 * context, whose own seed is that of the segment. */
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
    /* The checksum is that of the copy that will be written: the source can still change. */
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
    /* The copy that will be read is verified: the source can still change. */
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
