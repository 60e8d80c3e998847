#include "page_cipher.h"

#include <stdlib.h>

/* How many pages share one call of getrandom(2): 3 KiB of nonces on the stack. */
enum { nonce_batch = 256 };

static const struct bulla_page_suite *suite_named(bulla_suite suite) {
    switch (suite) {
    case BULLA_SUITE_PLAIN:
        return &bulla_suite_plain;
    case BULLA_SUITE_AES_256_GCM:
        return &bulla_suite_gcm;
    case BULLA_SUITE_AES_256_CTR_HMAC_SHA2:
        return &bulla_suite_ctr_hmac;
    }
    return NULL;
}

bulla_cipher_status bulla_page_cipher_create(bulla_suite suite, const void *key,
                                             const void *file_identifier, uint16_t format_version,
                                             size_t page_bytes, bulla_page_cipher **out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    bulla_page_cipher *cipher = NULL;
    const struct bulla_page_suite *named = suite_named(suite);

    BULLA_GUARD(named != NULL && (key != NULL || !named->has_key), BULLA_CIPHER_BAD_ARGUMENT);
    BULLA_GUARD(page_bytes >= BULLA_PAGE_BYTE_MINIMUM && page_bytes <= BULLA_PAGE_BYTE_LIMIT,
                BULLA_CIPHER_BAD_ARGUMENT);
    cipher = calloc(1, sizeof *cipher);
    BULLA_GUARD(cipher != NULL, BULLA_CIPHER_MEMORY);
    cipher->suite = named;
    cipher->content_bytes = page_bytes - BULLA_TRAILER_BYTES;
    memcpy(cipher->file.file_identifier, file_identifier, BULLA_FILE_IDENTIFIER_BYTES);
    cipher->file.suite = (uint8_t)suite;
    cipher->file.format_version = bulla_little16(format_version);
    BULLA_GUARD_OK(named->make(cipher, key));
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_page_cipher_destroy(cipher);
        cipher = NULL;
    }
    *out = cipher;
    return status;
}

/* libcrypto wipes the contexts that held the key when it frees them. */
void bulla_page_cipher_destroy(bulla_page_cipher *cipher) {
    if (cipher == NULL) {
        return;
    }
    EVP_CIPHER_CTX_free(cipher->sealing);
    EVP_CIPHER_CTX_free(cipher->opening);
    bulla_mac_destroy(cipher->mac);
    bulla_wipe(cipher, sizeof *cipher);
    free(cipher);
}

static bulla_cipher_status seal_one(bulla_page_cipher *cipher, bulla_page_job *job,
                                    const uint8_t *nonce) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    struct bulla_page_trailer trailer = {0};
    struct bulla_page_context context = bulla_page_context_of(&cipher->file, job);

    if (cipher->suite->has_key) {
        memcpy(trailer.nonce, nonce, BULLA_NONCE_BYTES);
    }
    bulla_trailer_set_epoch(&trailer, job->epoch);
    BULLA_GUARD_OK(cipher->suite->seal(cipher, &context, job->in, job->out, &trailer));
    memcpy((uint8_t *)job->out + cipher->content_bytes, &trailer, sizeof trailer);
    job->check = bulla_trailer_check(&trailer);
done:
    if (status != BULLA_CIPHER_OK) {
        bulla_wipe(job->out, cipher->content_bytes + BULLA_TRAILER_BYTES);
    }
    return status;
}

static bulla_cipher_status seal_batch(bulla_page_cipher *cipher, bulla_page_job *jobs,
                                      size_t count) {
    uint8_t nonces[nonce_batch][BULLA_NONCE_BYTES];
    bulla_cipher_status status = BULLA_CIPHER_OK;
    if (cipher->suite->has_key) {
        status = bulla_random_fill(nonces, count * BULLA_NONCE_BYTES);
    }
    for (size_t index = 0; index < count && status == BULLA_CIPHER_OK; index += 1) {
        status = seal_one(cipher, &jobs[index], nonces[index]);
    }
    return status;
}

bulla_cipher_status bulla_pages_seal(bulla_page_cipher *cipher, bulla_page_job *jobs,
                                     size_t count) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    for (size_t index = 0; index < count; index += 1) {
        /* A plain page has no key, and so no key epoch. */
        if (jobs[index].out == NULL || (!cipher->suite->has_key && jobs[index].epoch != 0)) {
            return BULLA_CIPHER_BAD_ARGUMENT;
        }
    }
    for (size_t done = 0; done < count && status == BULLA_CIPHER_OK; done += nonce_batch) {
        size_t left = count - done;
        status = seal_batch(cipher, jobs + done, left < nonce_batch ? left : nonce_batch);
    }
    return status;
}

/* The check comes first: a page that its parent does not name is not worth decrypting. */
static bulla_cipher_status open_one(bulla_page_cipher *cipher, const bulla_page_job *job) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    struct bulla_page_trailer trailer;
    struct bulla_page_context context = bulla_page_context_of(&cipher->file, job);
    uint64_t expected = bulla_little64(job->check);

    BULLA_GUARD(job->out != NULL || !cipher->suite->has_key, BULLA_CIPHER_BAD_ARGUMENT);
    memcpy(&trailer, (const uint8_t *)job->in + cipher->content_bytes, sizeof trailer);
    BULLA_GUARD(bulla_equal(trailer.tag, &expected, sizeof expected), BULLA_CIPHER_STALE_CHECK);
    BULLA_GUARD(bulla_trailer_epoch(&trailer) == job->epoch, BULLA_CIPHER_BAD_TAG);
    BULLA_GUARD_OK(cipher->suite->open(cipher, &context, job->in, job->out, &trailer));
done:
    if (status != BULLA_CIPHER_OK && job->out != NULL) {
        bulla_wipe(job->out, cipher->content_bytes);
    }
    return status;
}

bulla_cipher_status bulla_pages_open(bulla_page_cipher *cipher, const bulla_page_job *jobs,
                                     size_t count, size_t *failed) {
    for (size_t index = 0; index < count; index += 1) {
        bulla_cipher_status status = open_one(cipher, &jobs[index]);
        if (status != BULLA_CIPHER_OK) {
            *failed = index;
            return status;
        }
    }
    return BULLA_CIPHER_OK;
}

uint32_t bulla_page_epoch(const void *sealed, size_t page_bytes) {
    struct bulla_page_trailer trailer;
    if (page_bytes < sizeof trailer) {
        return 0;
    }
    memcpy(&trailer, (const uint8_t *)sealed + page_bytes - sizeof trailer, sizeof trailer);
    return bulla_trailer_epoch(&trailer);
}
