#include "guard.h"
#include "library.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

/* RFC 5869, 2.3: the block counter is one octet. */
enum { hkdf_byte_limit = 255 * BULLA_DIGEST_BYTES, hkdf_parameter_limit = 5 };

/* libcrypto takes parameters without `const`, but only reads them. An empty salt or info is
 * omitted, which is what RFC 5869 means by "not provided". */
static void hkdf_parameters(OSSL_PARAM *next, bulla_bytes key, bulla_bytes salt, bulla_bytes info) {
    static char digest[] = "SHA2-256";
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0);
    *next++ =
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key.base, key.byte_count);
    if (salt.byte_count > 0) {
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt.base,
                                                    salt.byte_count);
    }
    if (info.byte_count > 0) {
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info.base,
                                                    info.byte_count);
    }
    *next = OSSL_PARAM_construct_end();
}

bulla_cipher_status bulla_hkdf(const void *key, size_t key_len, const void *salt, size_t salt_len,
                               const void *info, size_t info_len, void *out, size_t out_len) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_KDF_CTX *context = NULL;
    const struct bulla_library *library = bulla_library_fetch();
    OSSL_PARAM parameters[hkdf_parameter_limit];

    BULLA_GUARD(key_len > 0 && out_len > 0 && out_len <= hkdf_byte_limit &&
                    info_len <= BULLA_HKDF_INFO_BYTE_LIMIT,
                BULLA_CIPHER_BAD_ARGUMENT);
    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    context = EVP_KDF_CTX_new(library->hkdf);
    BULLA_GUARD(context != NULL, BULLA_CIPHER_MEMORY);
    hkdf_parameters(parameters, (bulla_bytes){key, key_len}, (bulla_bytes){salt, salt_len},
                    (bulla_bytes){info, info_len});
    BULLA_GUARD(EVP_KDF_derive(context, out, out_len, parameters) == 1, BULLA_CIPHER_LIBRARY);
done:
    EVP_KDF_CTX_free(context);
    if (status != BULLA_CIPHER_OK && status != BULLA_CIPHER_BAD_ARGUMENT) {
        bulla_wipe(out, out_len);
    }
    return status;
}

bulla_cipher_status bulla_sha256(const void *in, size_t in_len, void *out) {
    const struct bulla_library *library = bulla_library_fetch();
    if (library == NULL || EVP_Digest(in, in_len, out, NULL, library->sha256, NULL) != 1) {
        return BULLA_CIPHER_LIBRARY;
    }
    return BULLA_CIPHER_OK;
}
