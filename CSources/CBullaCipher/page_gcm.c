/* AES-256-GCM pages (NIST SP 800-38D, 7.1 and 7.2). */
#include "library.h"
#include "page_cipher.h"

/* One context for each direction, each with the key schedule made once: a page sets the nonce
 * only. */
static bulla_cipher_status gcm_make(bulla_page_cipher *cipher, const uint8_t *key) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    cipher->sealing = EVP_CIPHER_CTX_new();
    cipher->opening = EVP_CIPHER_CTX_new();
    BULLA_GUARD(cipher->sealing != NULL && cipher->opening != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->sealing, library->gcm, key, NULL, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptInit_ex2(cipher->opening, library->gcm, key, NULL, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

static bulla_cipher_status gcm_seal(bulla_page_cipher *cipher,
                                    const struct bulla_page_context *context, const void *in,
                                    void *out, struct bulla_page_trailer *trailer) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_CIPHER_CTX *ctx = cipher->sealing;
    int content_bytes = (int)cipher->content_bytes;
    int written = 0;

    BULLA_GUARD(EVP_EncryptInit_ex2(ctx, NULL, NULL, trailer->nonce, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptUpdate(ctx, NULL, &written, (const uint8_t *)context, sizeof *context) ==
                    1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptUpdate(ctx, out, &written, in, content_bytes) == 1 &&
                    written == content_bytes,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptFinal_ex(ctx, (uint8_t *)out + content_bytes, &written) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, BULLA_TAG_BYTES, trailer->tag) == 1,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

static bulla_cipher_status gcm_open(bulla_page_cipher *cipher,
                                    const struct bulla_page_context *context, const void *in,
                                    void *out, const struct bulla_page_trailer *trailer) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_CIPHER_CTX *ctx = cipher->opening;
    int content_bytes = (int)cipher->content_bytes;
    int written = 0;

    BULLA_GUARD(EVP_DecryptInit_ex2(ctx, NULL, NULL, trailer->nonce, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptUpdate(ctx, NULL, &written, (const uint8_t *)context, sizeof *context) ==
                    1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptUpdate(ctx, out, &written, in, content_bytes) == 1 &&
                    written == content_bytes,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, BULLA_TAG_BYTES, (void *)trailer->tag) == 1,
        BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptFinal_ex(ctx, (uint8_t *)out + content_bytes, &written) == 1,
                BULLA_CIPHER_BAD_TAG);
done:
    return status;
}

const struct bulla_page_suite bulla_suite_gcm = {
    .has_key = true,
    .make = gcm_make,
    .seal = gcm_seal,
    .open = gcm_open,
};
