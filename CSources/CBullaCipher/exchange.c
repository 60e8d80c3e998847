/* Pairs of keys: agreement by X25519 (RFC 7748), signatures by Ed25519 (RFC 8032) and, with keys
 * from elsewhere, by ECDSA over P-256 with SHA-256 (FIPS 186-5). */
#include "guard.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string.h>

enum { group_name_bytes = 32 };

static int kind_of(bulla_pair_kind kind) {
    return kind == BULLA_PAIR_AGREEMENT ? EVP_PKEY_X25519 : EVP_PKEY_ED25519;
}

bulla_cipher_status bulla_pair_public(bulla_pair_kind kind, const void *private_key,
                                      void *public_key) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    size_t byte_count = BULLA_PAIR_KEY_BYTES;
    EVP_PKEY *key =
        EVP_PKEY_new_raw_private_key(kind_of(kind), NULL, private_key, BULLA_PAIR_KEY_BYTES);

    BULLA_GUARD(key != NULL, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_PKEY_get_raw_public_key(key, public_key, &byte_count) == 1 &&
                    byte_count == BULLA_PAIR_KEY_BYTES,
                BULLA_CIPHER_LIBRARY);
done:
    EVP_PKEY_free(key);
    return status;
}

bulla_cipher_status bulla_pair_agree(const void *private_key, const void *public_key, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_PKEY_CTX *context = NULL;
    size_t byte_count = BULLA_PAIR_KEY_BYTES;
    EVP_PKEY *own =
        EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, private_key, BULLA_PAIR_KEY_BYTES);
    EVP_PKEY *other =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, public_key, BULLA_PAIR_KEY_BYTES);

    BULLA_GUARD(own != NULL && other != NULL, BULLA_CIPHER_LIBRARY);
    context = EVP_PKEY_CTX_new(own, NULL);
    BULLA_GUARD(context != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_PKEY_derive_init(context) == 1, BULLA_CIPHER_LIBRARY);
    /* Fails for a point of small order, which gives a secret that anybody knows (RFC 7748, 6.1). */
    BULLA_GUARD(EVP_PKEY_derive_set_peer(context, other) == 1 &&
                    EVP_PKEY_derive(context, out, &byte_count) == 1 &&
                    byte_count == BULLA_PAIR_KEY_BYTES,
                BULLA_CIPHER_BAD_TAG);
done:
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, BULLA_PAIR_KEY_BYTES);
    }
    return status;
}

bulla_cipher_status bulla_pair_sign(const void *private_key, const void *in, size_t in_len,
                                    void *signature) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t byte_count = BULLA_SIGNATURE_BYTES;
    EVP_PKEY *key =
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, private_key, BULLA_PAIR_KEY_BYTES);

    BULLA_GUARD(context != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(key != NULL && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DigestSign(context, signature, &byte_count, in, in_len) == 1 &&
                    byte_count == BULLA_SIGNATURE_BYTES,
                BULLA_CIPHER_LIBRARY);
done:
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return status;
}

bulla_cipher_status bulla_pair_verify(const void *public_key, const void *in, size_t in_len,
                                      const void *signature) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY *key =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, BULLA_PAIR_KEY_BYTES);

    BULLA_GUARD(context != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(key != NULL && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DigestVerify(context, signature, BULLA_SIGNATURE_BYTES, in, in_len) == 1,
                BULLA_CIPHER_BAD_TAG);
done:
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return status;
}

/* Whether a key is one of P-256, and the text from which it was read ends where the key does, at
 * `end`. */
static bool is_p256(const EVP_PKEY *key, bulla_bytes text, const uint8_t *end) {
    char group[group_name_bytes];
    return key != NULL && end == (const uint8_t *)text.base + text.byte_count &&
           EVP_PKEY_is_a(key, "EC") == 1 &&
           EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group,
                                          NULL) == 1 &&
           strcmp(group, "prime256v1") == 0;
}

bulla_cipher_status bulla_p256_sign(bulla_bytes private_key, bulla_bytes message, void *signature,
                                    size_t *byte_count) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_MD_CTX *context = NULL;
    EVP_PKEY *key = NULL;
    const uint8_t *at = private_key.base;

    *byte_count = BULLA_P256_SIGNATURE_BYTE_LIMIT;
    BULLA_GUARD(private_key.byte_count <= BULLA_P256_KEY_BYTE_LIMIT, BULLA_CIPHER_BAD_ARGUMENT);
    key = d2i_AutoPrivateKey(NULL, &at, (long)private_key.byte_count);
    BULLA_GUARD(is_p256(key, private_key, at), BULLA_CIPHER_BAD_ARGUMENT);
    context = EVP_MD_CTX_new();
    BULLA_GUARD(context != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_DigestSignInit_ex(context, NULL, "SHA2-256", NULL, NULL, key, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(
        EVP_DigestSign(context, signature, byte_count, message.base, message.byte_count) == 1,
        BULLA_CIPHER_LIBRARY);
done:
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return status;
}

bulla_cipher_status bulla_p256_verify(bulla_bytes public_key, bulla_bytes message,
                                      bulla_bytes signature) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_MD_CTX *context = NULL;
    EVP_PKEY *key = NULL;
    const uint8_t *at = public_key.base;

    BULLA_GUARD(public_key.byte_count <= BULLA_P256_KEY_BYTE_LIMIT, BULLA_CIPHER_BAD_ARGUMENT);
    key = d2i_PUBKEY(NULL, &at, (long)public_key.byte_count);
    BULLA_GUARD(is_p256(key, public_key, at), BULLA_CIPHER_BAD_ARGUMENT);
    context = EVP_MD_CTX_new();
    BULLA_GUARD(context != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_DigestVerifyInit_ex(context, NULL, "SHA2-256", NULL, NULL, key, NULL) == 1,
                BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(EVP_DigestVerify(context, signature.base, signature.byte_count, message.base,
                                 message.byte_count) == 1,
                BULLA_CIPHER_BAD_TAG);
done:
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return status;
}
