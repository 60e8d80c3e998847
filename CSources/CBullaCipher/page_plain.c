/* Plain pages: XXH64 of the content, seeded with XXH64 of the context, then eight zero bytes. */
#include "page_cipher.h"

static bulla_cipher_status plain_make(bulla_page_cipher *cipher, const uint8_t *key) {
    (void)cipher;
    (void)key;
    return BULLA_CIPHER_OK;
}

static uint64_t checksum(const bulla_page_cipher *cipher, const struct bulla_page_context *context,
                         const void *content) {
    uint64_t seed = bulla_checksum64(context, sizeof *context, 0);
    return bulla_little64(bulla_checksum64(content, cipher->content_bytes, seed));
}

static bulla_cipher_status plain_seal(bulla_page_cipher *cipher,
                                      const struct bulla_page_context *context, const void *in,
                                      void *out, struct bulla_page_trailer *trailer) {
    /* The checksum is that of the copy that will be written: the source can still change. */
    if (in != out) {
        memcpy(out, in, cipher->content_bytes);
    }
    uint64_t sum = checksum(cipher, context, out);
    memcpy(trailer->tag, &sum, sizeof sum);
    return BULLA_CIPHER_OK;
}

static bulla_cipher_status plain_open(bulla_page_cipher *cipher,
                                      const struct bulla_page_context *context, const void *in,
                                      void *out, const struct bulla_page_trailer *trailer) {
    struct bulla_page_trailer expected = {0};
    const void *content = in;
    /* The copy that will be read is verified: the source can still change. */
    if (out != NULL && out != in) {
        memcpy(out, in, cipher->content_bytes);
        content = out;
    }
    uint64_t sum = checksum(cipher, context, content);
    memcpy(expected.tag, &sum, sizeof sum);
    return memcmp(&expected, trailer, sizeof expected) == 0 ? BULLA_CIPHER_OK
                                                            : BULLA_CIPHER_BAD_TAG;
}

const struct bulla_page_suite bulla_suite_plain = {
    .has_key = false,
    .make = plain_make,
    .seal = plain_seal,
    .open = plain_open,
};
