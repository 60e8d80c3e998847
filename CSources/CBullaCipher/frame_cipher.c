/* Frames of the log: a masked head, a nonce, ciphertext, a tag. */
#include "frame_cipher.h"
#include "library.h"

#include <stdlib.h>

enum {
    nonce_offset = BULLA_FRAME_HEAD_BYTES,
    content_offset = BULLA_FRAME_HEAD_BYTES + BULLA_NONCE_BYTES,
    /* RFC 9001, 5.4.3: the sample is one block of AES, and so is the mask. */
    sample_bytes = 16,
};

static_assert(BULLA_FRAME_EXTRA_BYTES == content_offset + BULLA_TAG_BYTES, "what a frame adds");
static_assert(BULLA_FRAME_SAMPLED_BYTES == content_offset + sample_bytes, "up to the sample's end");

static const struct bulla_frame_suite *suite_named(bulla_suite suite) {
    switch (suite) {
    case BULLA_SUITE_PLAIN:
        return &bulla_frame_plain;
    case BULLA_SUITE_AES_256_GCM:
        return &bulla_frame_gcm;
    case BULLA_SUITE_AES_256_CTR_HMAC_SHA2:
        return &bulla_frame_ctr_hmac;
    }
    return NULL;
}

/* Makes the context that computes masks. A mask is a whole block, so nothing is padded. */
static bulla_cipher_status masking_make(bulla_frame_cipher *cipher, const uint8_t *key) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(library->ecb != NULL, BULLA_CIPHER_UNAVAILABLE);
    cipher->masking = EVP_CIPHER_CTX_new();
    BULLA_GUARD(cipher->masking != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->masking, library->ecb, key, NULL, NULL) == 1 &&
                    EVP_CIPHER_CTX_set_padding(cipher->masking, 0) == 1,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

bulla_cipher_status bulla_frame_cipher_create(bulla_suite suite, const void *key, uint64_t seed,
                                              const void *file_identifier, uint16_t format_version,
                                              bulla_frame_cipher **out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    bulla_frame_cipher *cipher = NULL;
    const struct bulla_frame_suite *named = suite_named(suite);
    const uint8_t *bytes = key;

    BULLA_GUARD(named != NULL && (key != NULL || !named->has_key), BULLA_CIPHER_BAD_ARGUMENT);
    cipher = calloc(1, sizeof *cipher);
    BULLA_GUARD(cipher != NULL, BULLA_CIPHER_MEMORY);
    cipher->suite = named;
    cipher->seed = seed;
    memcpy(cipher->segment.file_identifier, file_identifier, BULLA_FILE_IDENTIFIER_BYTES);
    cipher->segment.suite = (uint8_t)suite;
    cipher->segment.format_version = bulla_little16(format_version);
    BULLA_GUARD_OK(named->make(cipher, bytes));
    if (named->has_key) {
        BULLA_GUARD_OK(masking_make(cipher, bytes + BULLA_DATA_KEY_BYTES));
    }
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_frame_cipher_destroy(cipher);
        cipher = NULL;
    }
    *out = cipher;
    return status;
}

/* libcrypto wipes the contexts that held the keys when it frees them. */
void bulla_frame_cipher_destroy(bulla_frame_cipher *cipher) {
    if (cipher == NULL) {
        return;
    }
    EVP_CIPHER_CTX_free(cipher->sealing);
    EVP_CIPHER_CTX_free(cipher->opening);
    EVP_CIPHER_CTX_free(cipher->masking);
    bulla_mac_destroy(cipher->mac);
    bulla_wipe(cipher, sizeof *cipher);
    free(cipher);
}

/* Masks or unmasks: `out` is the head at `in`, combined with the mask from the sample (RFC 9001,
 * 5.4.3: AES-256-ECB of 16 bytes of ciphertext). A plain head has no mask. */
static bulla_cipher_status apply_mask(bulla_frame_cipher *cipher, const uint8_t *sample,
                                      const uint8_t *in, uint8_t *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t mask[sample_bytes] = {0};
    int written = 0;

    if (cipher->suite->has_key) {
        BULLA_GUARD(EVP_EncryptUpdate(cipher->masking, mask, &written, sample, sample_bytes) == 1 &&
                        written == sample_bytes,
                    BULLA_CIPHER_LIBRARY);
    }
    for (size_t index = 0; index < BULLA_FRAME_HEAD_BYTES; index += 1) {
        out[index] = in[index] ^ mask[index];
    }
done:
    bulla_wipe(mask, sizeof mask);
    return status;
}

static bool content_fits(size_t content_len) {
    return content_len >= BULLA_FRAME_CONTENT_BYTE_MINIMUM &&
           content_len <= BULLA_FRAME_BYTE_LIMIT - BULLA_FRAME_EXTRA_BYTES;
}

bulla_cipher_status bulla_frame_seal(bulla_frame_cipher *cipher, const bulla_frame_place *place,
                                     const void *in, size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t *bytes = out;
    size_t frame_bytes = in_len + BULLA_FRAME_EXTRA_BYTES;

    if (!content_fits(in_len)) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    struct bulla_frame_head head = bulla_frame_head_of(place, frame_bytes);
    struct bulla_frame_context context =
        bulla_frame_context_of(&cipher->segment, place, frame_bytes);
    memset(bytes, 0, content_offset);
    if (cipher->suite->has_key) {
        BULLA_GUARD_OK(bulla_random_fill(bytes + nonce_offset, BULLA_NONCE_BYTES));
    }
    BULLA_GUARD_OK(cipher->suite->seal(cipher, &context, bytes + nonce_offset, in, in_len,
                                       bytes + content_offset));
    BULLA_GUARD_OK(apply_mask(cipher, bytes + content_offset, (const uint8_t *)&head, bytes));
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, frame_bytes);
    }
    return status;
}

bulla_cipher_status bulla_frame_unmask(bulla_frame_cipher *cipher, const void *in, void *head) {
    const uint8_t *bytes = in;
    return apply_mask(cipher, bytes + content_offset, bytes, head);
}

bulla_cipher_status bulla_frame_open(bulla_frame_cipher *cipher, const bulla_frame_place *place,
                                     const void *in, size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const uint8_t *bytes = in;
    struct bulla_frame_head found;

    if (in_len < BULLA_FRAME_EXTRA_BYTES || !content_fits(in_len - BULLA_FRAME_EXTRA_BYTES)) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    size_t out_len = in_len - BULLA_FRAME_EXTRA_BYTES;
    struct bulla_frame_head head = bulla_frame_head_of(place, in_len);
    struct bulla_frame_context context = bulla_frame_context_of(&cipher->segment, place, in_len);
    BULLA_GUARD_OK(bulla_frame_unmask(cipher, in, &found));
    BULLA_GUARD(bulla_equal(&found, &head, sizeof head), BULLA_CIPHER_BAD_TAG);
    BULLA_GUARD_OK(cipher->suite->open(cipher, &context, bytes + nonce_offset,
                                       bytes + content_offset, out_len, out));
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, out_len);
    }
    return status;
}
