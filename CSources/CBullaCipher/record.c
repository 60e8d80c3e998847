#include "guard.h"

bulla_cipher_status bulla_record_seal(const void *key, const void *context, size_t context_len,
                                      const void *in, size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    uint8_t *bytes = out;

    BULLA_GUARD(in_len <= BULLA_RECORD_BYTE_LIMIT && context_len <= BULLA_RECORD_BYTE_LIMIT,
                BULLA_CIPHER_BAD_ARGUMENT);
    BULLA_GUARD_OK(bulla_random_fill(bytes, BULLA_NONCE_BYTES));
    BULLA_GUARD_OK(
        bulla_gcm_seal(key, bytes, context, context_len, in, in_len, bytes + BULLA_NONCE_BYTES));
done:
    return status;
}

bulla_cipher_status bulla_record_open(const void *key, const void *context, size_t context_len,
                                      const void *in, size_t in_len, void *out) {
    bulla_cipher_status status = BULLA_CIPHER_OK;
    const uint8_t *bytes = in;

    BULLA_GUARD(in_len >= BULLA_RECORD_EXTRA_BYTES &&
                    in_len - BULLA_RECORD_EXTRA_BYTES <= BULLA_RECORD_BYTE_LIMIT &&
                    context_len <= BULLA_RECORD_BYTE_LIMIT,
                BULLA_CIPHER_BAD_ARGUMENT);
    BULLA_GUARD_OK(bulla_gcm_open(key, bytes, context, context_len, bytes + BULLA_NONCE_BYTES,
                                  in_len - BULLA_NONCE_BYTES, out));
done:
    return status;
}
