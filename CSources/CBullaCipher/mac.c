/* HMAC-SHA-256 (FIPS 198-1) in a context that keeps its key from one message to the next. */
#include "guard.h"
#include "library.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdlib.h>

struct bulla_mac {
    EVP_MAC_CTX *context; /* holds the key */
    bool is_copied;       /* for each message, because the context itself cannot start again */
};

static bool finish(EVP_MAC_CTX *context, uint8_t *digest) {
    size_t written = 0;
    return EVP_MAC_final(context, digest, &written, BULLA_DIGEST_BYTES) == 1 &&
           written == BULLA_DIGEST_BYTES;
}

/* Whether a context can start again with the key that it holds. Before 3.0.3, libcrypto reports
 * success for such a restart, but does nothing, so every digest after the first would be wrong.
 * The test uses up a copy. */
static bool can_restart(const EVP_MAC_CTX *context) {
    uint8_t first[BULLA_DIGEST_BYTES] = {0};
    uint8_t second[BULLA_DIGEST_BYTES] = {0};
    EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(context);
    bool can = copy != NULL && finish(copy, first) && EVP_MAC_init(copy, NULL, 0, NULL) == 1 &&
               finish(copy, second) && bulla_equal(first, second, sizeof first);
    EVP_MAC_CTX_free(copy);
    return can;
}

static bulla_cipher_status mac_make(bulla_mac *mac, const void *key, size_t key_len) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const struct bulla_library *library = bulla_library_fetch();
    char digest[] = "SHA2-256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    mac->context = EVP_MAC_CTX_new(library->hmac);
    BULLA_GUARD(mac->context != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD(EVP_MAC_init(mac->context, key, key_len, parameters) == 1, BULLA_CIPHER_LIBRARY);
    mac->is_copied = !can_restart(mac->context);
done:
    return status;
}

bulla_cipher_status bulla_mac_create(const void *key, size_t key_len, bulla_mac **out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    bulla_mac *mac = NULL;

    BULLA_GUARD(key_len > 0, BULLA_CIPHER_BAD_ARGUMENT);
    mac = calloc(1, sizeof *mac);
    BULLA_GUARD(mac != NULL, BULLA_CIPHER_MEMORY);
    BULLA_GUARD_OK(mac_make(mac, key, key_len));
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_mac_destroy(mac);
        mac = NULL;
    }
    *out = mac;
    return status;
}

/* libcrypto wipes the context that held the key when it frees it. */
void bulla_mac_destroy(bulla_mac *mac) {
    if (mac == NULL) {
        return;
    }
    EVP_MAC_CTX_free(mac->context);
    free(mac);
}

static bulla_cipher_status compute(EVP_MAC_CTX *context, const bulla_bytes *parts, size_t count,
                                   void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;

    for (size_t index = 0; index < count; index += 1) {
        BULLA_GUARD(EVP_MAC_update(context, parts[index].base, parts[index].byte_count) == 1,
                    BULLA_CIPHER_LIBRARY);
    }
    BULLA_GUARD(finish(context, out), BULLA_CIPHER_LIBRARY);
done:
    return status;
}

bulla_cipher_status bulla_mac_compute(bulla_mac *mac, const bulla_bytes *parts, size_t count,
                                      void *out) {
    if (!mac->is_copied) {
        return EVP_MAC_init(mac->context, NULL, 0, NULL) == 1
                   ? compute(mac->context, parts, count, out)
                   : BULLA_CIPHER_LIBRARY;
    }
    EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(mac->context);
    if (copy == NULL) {
        return BULLA_CIPHER_MEMORY;
    }
    bulla_cipher_status status = compute(copy, parts, count, out);
    EVP_MAC_CTX_free(copy);
    return status;
}
