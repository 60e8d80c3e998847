/* Algorithms that are fetched from libcrypto once for the process. */
#ifndef BULLA_LIBRARY_H
#define BULLA_LIBRARY_H

#include <openssl/evp.h>
#include <openssl/kdf.h>

struct bulla_library {
    EVP_CIPHER *gcm;
    EVP_CIPHER *ctr;
    EVP_MAC *hmac;
    EVP_KDF *hkdf;
    EVP_MD *sha256;
    /* Each is NULL if libcrypto lacks it: then only the calls that need it are refused. */
    EVP_CIPHER *ecb;
    EVP_KDF *scrypt;
    EVP_KDF *pbkdf2;
};

/* The algorithms, or NULL if libcrypto lacks one that every store needs. Never freed: they live as
 * long as the process. */
const struct bulla_library *bulla_library_fetch(void);

#endif
