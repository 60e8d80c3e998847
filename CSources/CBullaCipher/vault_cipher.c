/* XAES-256-GCM (C2SP): a key and the first half of a nonce give a key of AES-256-GCM, which seals
 * under the second half. The derivation (SP 800-108r1, 4.1) is two CMACs (SP 800-38B) of one block
 * each. Because the cipher keeps the CMAC subkey, they take two blocks of AES. */
#include "guard.h"
#include "library.h"

#include <assert.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

enum {
    block_bytes = 16,
    half_bytes = BULLA_VAULT_NONCE_BYTES / 2,
    /* A multiple of the block, well below the limit of int, in which EVP counts. */
    chunk_bytes = 1 << 30,
};

static_assert(half_bytes == BULLA_NONCE_BYTES, "the second half is a nonce of GCM");

struct bulla_vault_cipher {
    EVP_CIPHER_CTX *block;   /* AES-256 of single blocks, which holds the key */
    EVP_CIPHER_CTX *sealing; /* hold the last derived key */
    EVP_CIPHER_CTX *opening;
    bulla_nonces *nonces;
    uint8_t subkey[block_bytes]; /* K1 of CMAC */
};

static bool encrypt_blocks(EVP_CIPHER_CTX *block, const uint8_t *in, uint8_t *out, int byte_count) {
    int written = 0;
    return EVP_EncryptUpdate(block, out, &written, in, byte_count) == 1 && written == byte_count;
}

/* Makes K1 from L, which is AES of a zero block: doubles it in GF(2^128), without a branch on the
 * secret (SP 800-38B, 6.1). */
static void double_block(uint8_t *block) {
    uint8_t is_carried = block[0] >> 7;
    for (size_t index = 0; index + 1 < block_bytes; index += 1) {
        block[index] = (uint8_t)(block[index] << 1 | block[index + 1] >> 7);
    }
    block[block_bytes - 1] = (uint8_t)(block[block_bytes - 1] << 1 ^ (0x87 & -is_carried));
}

static bulla_cipher_status vault_make(bulla_vault_cipher *cipher, const uint8_t *key) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();
    static const uint8_t zeros[block_bytes];

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(library->ecb != NULL, BULLA_CIPHER_UNAVAILABLE);
    cipher->block = EVP_CIPHER_CTX_new();
    cipher->sealing = EVP_CIPHER_CTX_new();
    cipher->opening = EVP_CIPHER_CTX_new();
    BULLA_GUARD(cipher->block != NULL && cipher->sealing != NULL && cipher->opening != NULL,
                BULLA_CIPHER_MEMORY);
    BULLA_GUARD_OK(bulla_nonces_create(&cipher->nonces));
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->block, library->ecb, key, NULL, NULL) == 1 &&
                    EVP_CIPHER_CTX_set_padding(cipher->block, 0) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptInit_ex2(cipher->sealing, library->gcm, NULL, NULL, NULL) == 1 &&
                    EVP_DecryptInit_ex2(cipher->opening, library->gcm, NULL, NULL, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(encrypt_blocks(cipher->block, zeros, cipher->subkey, block_bytes),
                BULLA_CIPHER_LIBRARY);
    double_block(cipher->subkey);
done:
    return status;
}

bulla_cipher_status bulla_vault_cipher_create(const void *key, bulla_vault_cipher **out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    bulla_vault_cipher *cipher = calloc(1, sizeof *cipher);

    BULLA_GUARD(cipher != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD_OK(vault_make(cipher, key));
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_vault_cipher_destroy(cipher);
        cipher = NULL;
    }
    *out = cipher;
    return status;
}

/* libcrypto wipes the contexts that held keys when it frees them. */
void bulla_vault_cipher_destroy(bulla_vault_cipher *cipher) {
    if (cipher == NULL) {
        return;
    }
    EVP_CIPHER_CTX_free(cipher->block);
    EVP_CIPHER_CTX_free(cipher->sealing);
    EVP_CIPHER_CTX_free(cipher->opening);
    bulla_nonces_destroy(cipher->nonces);
    bulla_wipe(cipher, sizeof *cipher);
    free(cipher);
}

/* The key for one nonce: AES of (i, "X", 0, first half) xor K1, for i = 1 and 2 in 16 bits, the
 * high byte first. */
static bool derive_key(const bulla_vault_cipher *cipher, const uint8_t *nonce, uint8_t *key) {
    uint8_t blocks[BULLA_KEY_BYTES] = {0};
    for (size_t counter = 1; counter <= 2; counter += 1) {
        uint8_t *block = blocks + (counter - 1) * block_bytes;
        block[1] = (uint8_t)counter;
        block[2] = 'X';
        memcpy(block + block_bytes - half_bytes, nonce, half_bytes);
        for (size_t index = 0; index < block_bytes; index += 1) {
            block[index] ^= cipher->subkey[index];
        }
    }
    bool is_done = encrypt_blocks(cipher->block, blocks, key, sizeof blocks);
    /* Together with the nonce, the blocks reveal K1. */
    bulla_wipe(blocks, sizeof blocks);
    return is_done;
}

/* Gives a GCM context the key for `nonce`, the nonce itself, and the bytes that are only
 * authenticated. */
static bulla_cipher_status begin(const bulla_vault_cipher *cipher, EVP_CIPHER_CTX *gcm,
                                 const uint8_t *nonce, const void *context, size_t context_len) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t key[BULLA_KEY_BYTES];
    int written = 0;

    BULLA_GUARD(derive_key(cipher, nonce, key), BULLA_CIPHER_LIBRARY);
    /* -1 keeps the direction that the context has. */
    BULLA_GUARD(EVP_CipherInit_ex2(gcm, NULL, key, nonce + half_bytes, -1, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_CipherUpdate(gcm, NULL, &written, context, (int)context_len) == 1,
                BULLA_CIPHER_LIBRARY);
done:
    bulla_wipe(key, sizeof key);
    return status;
}

static bool apply(EVP_CIPHER_CTX *gcm, const uint8_t *in, size_t in_len, uint8_t *out) {
    size_t done = 0;
    while (done < in_len) {
        size_t left = in_len - done;
        int chunk = left < chunk_bytes ? (int)left : chunk_bytes;
        int written = 0;
        if (EVP_CipherUpdate(gcm, out + done, &written, in + done, chunk) != 1 ||
            written != chunk) {
            return false;
        }
        done += (size_t)chunk;
    }
    return true;
}

/* Makes the parameters itself: EVP_CIPHER_CTX_ctrl would take another 0.1 us to make the same ones
 * from its arguments. */
static bool get_tag(EVP_CIPHER_CTX *gcm, uint8_t *tag) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, BULLA_TAG_BYTES),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CIPHER_CTX_get_params(gcm, parameters) == 1;
}

static bool set_tag(EVP_CIPHER_CTX *gcm, uint8_t *tag) {
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, BULLA_TAG_BYTES),
        OSSL_PARAM_construct_end(),
    };
    return EVP_CIPHER_CTX_set_params(gcm, parameters) == 1;
}

static bool lengths_fit(size_t context_len, size_t in_len) {
    return context_len <= BULLA_VAULT_CONTEXT_BYTE_LIMIT &&
           in_len <= UINT32_MAX - BULLA_VAULT_EXTRA_BYTES;
}

bulla_cipher_status bulla_vault_seal_under(bulla_vault_cipher *cipher, const void *nonce,
                                           const void *context, size_t context_len, const void *in,
                                           size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t *bytes = out;
    uint8_t *sealed = bytes + BULLA_VAULT_NONCE_BYTES;
    int written = 0;

    if (!lengths_fit(context_len, in_len)) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    memcpy(bytes, nonce, BULLA_VAULT_NONCE_BYTES);
    BULLA_GUARD_OK(begin(cipher, cipher->sealing, bytes, context, context_len));
    BULLA_GUARD(apply(cipher->sealing, in, in_len, sealed), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_EncryptFinal_ex(cipher->sealing, sealed + in_len, &written) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(get_tag(cipher->sealing, sealed + in_len), BULLA_CIPHER_LIBRARY);
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, in_len + BULLA_VAULT_EXTRA_BYTES);
    }
    return status;
}

bulla_cipher_status bulla_vault_seal(bulla_vault_cipher *cipher, const void *context,
                                     size_t context_len, const void *in, size_t in_len, void *out) {
    uint8_t nonce[BULLA_VAULT_NONCE_BYTES];
    if (!lengths_fit(context_len, in_len)) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    bulla_cipher_status status = bulla_nonces_take(cipher->nonces, bulla_nonces_tick(), nonce);
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, in_len + BULLA_VAULT_EXTRA_BYTES);
        return status;
    }
    return bulla_vault_seal_under(cipher, nonce, context, context_len, in, in_len, out);
}

bulla_cipher_status bulla_vault_open(bulla_vault_cipher *cipher, const void *context,
                                     size_t context_len, const void *in, size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const uint8_t *nonce = in;
    const uint8_t *sealed = nonce + BULLA_VAULT_NONCE_BYTES;
    uint8_t tag[BULLA_TAG_BYTES];
    uint8_t end[BULLA_TAG_BYTES]; /* GCM writes nothing at its end, but needs an address */
    size_t out_len = in_len - BULLA_VAULT_EXTRA_BYTES;
    int written = 0;

    if (in_len < BULLA_VAULT_EXTRA_BYTES || !lengths_fit(context_len, out_len)) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    memcpy(tag, sealed + out_len, sizeof tag);
    BULLA_GUARD_OK(begin(cipher, cipher->opening, nonce, context, context_len));
    BULLA_GUARD(apply(cipher->opening, sealed, out_len, out), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(set_tag(cipher->opening, tag), BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DecryptFinal_ex(cipher->opening, end, &written) == 1, BULLA_CIPHER_BAD_TAG);
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, out_len);
    }
    return status;
}
