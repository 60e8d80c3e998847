#include "library.h"

#include "CBullaCipher.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <pthread.h>

static struct bulla_library library;
static bool library_is_whole;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;

/* Fetching walks the providers and takes a lock, so it is done once. libcrypto's clean-up at exit
 * is switched off, because other threads may still be sealing while the main thread returns. */
static void fetch(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    library.gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    library.ctr = EVP_CIPHER_fetch(NULL, "AES-256-CTR", NULL);
    library.hmac = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_HMAC, NULL);
    library.hkdf = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_HKDF, NULL);
    library.sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    library.ecb = EVP_CIPHER_fetch(NULL, "AES-256-ECB", NULL);
    library.scrypt = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_SCRYPT, NULL);
    library.pbkdf2 = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_PBKDF2, NULL);
    library_is_whole = library.gcm != NULL && library.ctr != NULL && library.hmac != NULL &&
                       library.hkdf != NULL && library.sha256 != NULL;
}

const struct bulla_library *bulla_library_fetch(void) {
    if (pthread_once(&library_once, fetch) != 0) {
        return NULL;
    }
    return library_is_whole ? &library : NULL;
}

const char *bulla_library_version(void) {
    return OpenSSL_version(OPENSSL_VERSION);
}
