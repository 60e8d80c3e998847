/* Keys from passwords: scrypt (RFC 7914) and PBKDF2 (RFC 8018). libcrypto wipes its copies of the
 * password, and all memory that the work took, when it frees them. */
#include "guard.h"
#include "library.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

enum { kdf_parameter_limit = 8 };

/* libcrypto takes parameters without `const`, but only reads them. */
static OSSL_PARAM octets(const char *name, bulla_bytes bytes) {
    return OSSL_PARAM_construct_octet_string(name, (void *)bytes.base, bytes.byte_count);
}

/* Why the last derivation failed. scrypt needs much memory, and a caller can react to a lack of
 * it. */
static bulla_cipher_status failure(void) {
    return ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE ? BULLA_CIPHER_MEMORY
                                                                         : BULLA_CIPHER_LIBRARY;
}

static bulla_cipher_status derive(const struct bulla_library *library, EVP_KDF *kdf,
                                  const OSSL_PARAM *parameters, void *out, size_t out_len) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    EVP_KDF_CTX *context = NULL;

    BULLA_GUARD(library != NULL, BULLA_CIPHER_LIBRARY);
    BULLA_GUARD(kdf != NULL, BULLA_CIPHER_UNAVAILABLE);
    context = EVP_KDF_CTX_new(kdf);
    BULLA_GUARD(context != NULL, BULLA_CIPHER_MEMORY);
    ERR_clear_error();
    BULLA_GUARD(EVP_KDF_derive(context, out, out_len, parameters) == 1, failure());
done:
    EVP_KDF_CTX_free(context);
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(out, out_len);
    }
    return status;
}

/* The memory that libcrypto compares with its limit: n + p + 2 blocks of 128 * r bytes. By default
 * that limit is 32 MiB, less than any safe parameters need. Returns zero if the numbers are out of
 * range; for numbers within it, the result does not overflow. */
static uint64_t scrypt_memory(uint64_t n, uint32_t r, uint32_t p) {
    uint64_t block = 128 * (uint64_t)r;
    if (n < 2 || (n & (n - 1)) != 0 || r == 0 || p == 0 || (uint64_t)r * p >= 1U << 30 ||
        n > (UINT64_MAX / 2) / block) {
        return 0;
    }
    return block * (n + p + 2);
}

bulla_cipher_status bulla_scrypt(bulla_bytes password, bulla_bytes salt, uint64_t n, uint32_t r,
                                 uint32_t p, void *out, size_t out_len) {
    const struct bulla_library *library = bulla_library_fetch();
    uint64_t memory = scrypt_memory(n, r, p);
    if (memory == 0 || out_len == 0 || out_len > BULLA_STRETCHED_BYTE_LIMIT) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    OSSL_PARAM parameters[kdf_parameter_limit] = {
        octets(OSSL_KDF_PARAM_PASSWORD, password),
        octets(OSSL_KDF_PARAM_SALT, salt),
        OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
        OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &r),
        OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &p),
        OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &memory),
        OSSL_PARAM_construct_end(),
    };
    return derive(library, library == NULL ? NULL : library->scrypt, parameters, out, out_len);
}

bulla_cipher_status bulla_pbkdf2(bulla_bytes password, bulla_bytes salt, uint32_t iterations,
                                 void *out, size_t out_len) {
    static char digest[] = "SHA2-256";
    const struct bulla_library *library = bulla_library_fetch();
    uint64_t count = iterations;
    if (iterations == 0 || out_len == 0 || out_len > BULLA_DIGEST_BYTES) {
        return BULLA_CIPHER_BAD_ARGUMENT;
    }
    OSSL_PARAM parameters[kdf_parameter_limit] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
        octets(OSSL_KDF_PARAM_PASSWORD, password),
        octets(OSSL_KDF_PARAM_SALT, salt),
        OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_ITER, &count),
        OSSL_PARAM_construct_end(),
    };
    return derive(library, library == NULL ? NULL : library->pbkdf2, parameters, out, out_len);
}
