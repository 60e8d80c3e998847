/* One-shot AES-256-GCM and AES-256-CTR, for records and for tests with known answers. */
#include "guard.h"
#include "library.h"

#include <limits.h>

static bool lengths_fit(size_t one, size_t other) {
    return one <= INT_MAX && other <= INT_MAX;
}

static bulla_cipher_status gcm_begin(EVP_CIPHER_CTX **context, const void *key, const void *nonce,
                                     bool is_sealing) {
    const struct bulla_library *library = bulla_library_fetch();
    if (library == NULL) {
        return BULLA_CIPHER_LIBRARY;
    }
    *context = EVP_CIPHER_CTX_new();
    if (*context == NULL) {
        return BULLA_CIPHER_MEMORY;
    }
    return EVP_CipherInit_ex2(*context, library->gcm, key, nonce, is_sealing, NULL) == 1
               ? BULLA_CIPHER_OK
               : BULLA_CIPHER_LIBRARY;
}

bulla_cipher_status bulla_gcm_seal(const void *key, const void *nonce, const void *context,
                                   size_t context_len, const void *in, size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_CIPHER_CTX *ctx = NULL;
    uint8_t *bytes = out;
    int written = 0;

    BULLA_GUARD(lengths_fit(context_len, in_len), BULLA_CIPHER_BAD_ARGUMENT);
    BULLA_GUARD_OK(gcm_begin(&ctx, key, nonce, true));
    BULLA_GUARD(EVP_EncryptUpdate(ctx, NULL, &written, context, (int)context_len) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptUpdate(ctx, bytes, &written, in, (int)in_len) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptFinal_ex(ctx, bytes + in_len, &written) == 1, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, BULLA_TAG_BYTES, bytes + in_len) ==
                    1,
                BULLA_CIPHER_LIBRARY);
done:
    EVP_CIPHER_CTX_free(ctx);
    return status;
}

bulla_cipher_status bulla_gcm_open(const void *key, const void *nonce, const void *context,
                                   size_t context_len, const void *in, size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_CIPHER_CTX *ctx = NULL;
    const uint8_t *bytes = in;
    size_t out_len = 0;
    int written = 0;

    BULLA_GUARD(lengths_fit(context_len, in_len) && in_len >= BULLA_TAG_BYTES,
                BULLA_CIPHER_BAD_ARGUMENT);
    out_len = in_len - BULLA_TAG_BYTES;
    BULLA_GUARD_OK(gcm_begin(&ctx, key, nonce, false));
    BULLA_GUARD(EVP_DecryptUpdate(ctx, NULL, &written, context, (int)context_len) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptUpdate(ctx, out, &written, in, (int)out_len) == 1, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, BULLA_TAG_BYTES,
                                    (void *)(bytes + out_len)) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptFinal_ex(ctx, (uint8_t *)out + out_len, &written) == 1,
                BULLA_CIPHER_BAD_TAG);
done:
    EVP_CIPHER_CTX_free(ctx);
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, out_len);
    }
    return status;
}

bulla_cipher_status bulla_ctr_apply(const void *key, const void *counter, const void *in,
                                    size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();
    EVP_CIPHER_CTX *ctx = NULL;
    int written = 0;

    BULLA_GUARD(lengths_fit(0, in_len), BULLA_CIPHER_BAD_ARGUMENT);
    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    ctx = EVP_CIPHER_CTX_new();
    BULLA_GUARD(ctx != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_EncryptInit_ex2(ctx, library->ctr, key, counter, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptUpdate(ctx, out, &written, in, (int)in_len) == 1, BULLA_CIPHER_LIBRARY);
done:
    EVP_CIPHER_CTX_free(ctx);
    return status;
}
