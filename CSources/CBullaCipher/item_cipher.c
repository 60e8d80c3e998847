/* AES-256-GCM under one key after another (NIST SP 800-38D, 7.1 and 7.2): a record's key seals a
 * few items, then the next record's key follows. All keys use the same contexts, because making new
 * contexts would cost more than setting a key. */
#include "guard.h"
#include "library.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

struct bulla_item_cipher {
    EVP_CIPHER_CTX *sealing;
    EVP_CIPHER_CTX *opening;
    bulla_nonces *nonces;
};

static bulla_cipher_status item_make(bulla_item_cipher *cipher) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    cipher->sealing = EVP_CIPHER_CTX_new();
    cipher->opening = EVP_CIPHER_CTX_new();
    BULLA_GUARD(cipher->sealing != NULL && cipher->opening != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD_OK(bulla_nonces_create(&cipher->nonces));
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->sealing, library->gcm, NULL, NULL, NULL) == 1 &&
                    EVP_DecryptInit_ex2(cipher->opening, library->gcm, NULL, NULL, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
done:
    return status;
}

bulla_cipher_status bulla_item_cipher_create(bulla_item_cipher **out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    bulla_item_cipher *cipher = calloc(1, sizeof *cipher);

    BULLA_GUARD(cipher != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD_OK(item_make(cipher));
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_item_cipher_destroy(cipher);
        cipher = NULL;
    }
    *out = cipher;
    return status;
}

/* libcrypto wipes the contexts that held keys when it frees them. */
void bulla_item_cipher_destroy(bulla_item_cipher *cipher) {
    if (cipher == NULL) {
        return;
    }
    EVP_CIPHER_CTX_free(cipher->sealing);
    EVP_CIPHER_CTX_free(cipher->opening);
    bulla_nonces_destroy(cipher->nonces);
    free(cipher);
}

bulla_cipher_status bulla_item_set_key(bulla_item_cipher *cipher, const void *key,
                                       bool is_sealing) {
    EVP_CIPHER_CTX *gcm = is_sealing ? cipher->sealing : cipher->opening;
    /* -1 keeps the direction that the context has. */
    return EVP_CipherInit_ex2(gcm, NULL, key, NULL, -1, NULL) == 1 ? BULLA_CIPHER_OK
                                                                  : BULLA_CIPHER_LIBRARY;
}

/* Gives a context its nonce, and the bytes that are only authenticated. */
static bool begin(EVP_CIPHER_CTX *gcm, const uint8_t *nonce, const bulla_bytes *context,
                  size_t context_count) {
    int written = 0;
    if (EVP_CipherInit_ex2(gcm, NULL, NULL, nonce, -1, NULL) != 1) {
        return false;
    }
    for (size_t index = 0; index < context_count; index += 1) {
        if (context[index].byte_count > INT_MAX ||
            EVP_CipherUpdate(gcm, NULL, &written, context[index].base,
                             (int)context[index].byte_count) != 1) {
            return false;
        }
    }
    return true;
}

/* Makes no call for an empty item: an update of no bytes ends the authenticated part. */
static bool apply(EVP_CIPHER_CTX *gcm, const void *in, size_t in_len, void *out) {
    int written = 0;
    return in_len == 0 || (EVP_CipherUpdate(gcm, out, &written, in, (int)in_len) == 1 &&
                           (size_t)written == in_len);
}

bulla_cipher_status bulla_item_seal_under(bulla_item_cipher *cipher, const void *nonce,
                                          const bulla_bytes *context, size_t context_count,
                                          const void *in, size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t *bytes = out;
    uint8_t *sealed = bytes + BULLA_NONCE_BYTES;
    int written = 0;

    if (in_len > INT_MAX - BULLA_ITEM_EXTRA_BYTES) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    OSSL_PARAM tag[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, sealed + in_len,
                                          BULLA_TAG_BYTES),
        OSSL_PARAM_construct_end(),
    };
    memcpy(bytes, nonce, BULLA_NONCE_BYTES);
    BULLA_GUARD(begin(cipher->sealing, bytes, context, context_count), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(apply(cipher->sealing, in, in_len, sealed), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptFinal_ex(cipher->sealing, sealed + in_len, &written) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_get_params(cipher->sealing, tag) == 1, BULLA_CIPHER_LIBRARY);
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, in_len + BULLA_ITEM_EXTRA_BYTES);
    }
    return status;
}

bulla_cipher_status bulla_item_seal(bulla_item_cipher *cipher, const bulla_bytes *context,
                                    size_t context_count, const void *in, size_t in_len,
                                    void *out) {
    uint8_t nonce[BULLA_VAULT_NONCE_BYTES];
    if (in_len > INT_MAX - BULLA_ITEM_EXTRA_BYTES) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    bulla_cipher_status status = bulla_nonces_take(cipher->nonces, bulla_nonces_tick(), nonce);
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, in_len + BULLA_ITEM_EXTRA_BYTES);
        return status;
    }
    return bulla_item_seal_under(cipher, nonce, context, context_count, in, in_len, out);
}

bulla_cipher_status bulla_item_open(bulla_item_cipher *cipher, const bulla_bytes *context,
                                    size_t context_count, const void *in, size_t in_len,
                                    void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const uint8_t *nonce = in;
    const uint8_t *sealed = nonce + BULLA_NONCE_BYTES;
    uint8_t tag[BULLA_TAG_BYTES];
    uint8_t end[BULLA_TAG_BYTES]; /* GCM writes nothing at its end, but needs an address */
    size_t out_len = in_len - BULLA_ITEM_EXTRA_BYTES;
    int written = 0;

    if (in_len < BULLA_ITEM_EXTRA_BYTES || in_len > INT_MAX) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    memcpy(tag, sealed + out_len, sizeof tag);
    const OSSL_PARAM expected[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, sizeof tag),
        OSSL_PARAM_construct_end(),
    };
    BULLA_GUARD(begin(cipher->opening, nonce, context, context_count), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(apply(cipher->opening, sealed, out_len, out), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CIPHER_CTX_set_params(cipher->opening, expected) == 1, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptFinal_ex(cipher->opening, end, &written) == 1, BULLA_CIPHER_BAD_TAG);
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, out_len);
    }
    return status;
}
