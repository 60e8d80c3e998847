/* The part of the cipher library that seals frames of the log, each bound to the one before it.
 *
 * CBullaCipher.h includes it. */
#ifndef BULLA_FRAMES_H
#define BULLA_FRAMES_H

#include "CBullaCipher.h"

#pragma clang assume_nonnull begin

enum {
    BULLA_FRAME_KEY_BYTES = 96,        /* AES-256 key, HMAC key, AES-256 key of the masks */
    BULLA_FRAME_HEAD_BYTES = 16,       /* one block of AES masks it: RFC 9001, 5.4.3 */
    BULLA_FRAME_EXTRA_BYTES = 44,      /* head and nonce before the ciphertext, tag behind it */
    BULLA_FRAME_SAMPLED_BYTES = 44,    /* head, nonce, and the ciphertext that gives the mask */
    BULLA_FRAME_CONTENT_BYTE_MINIMUM = 16, /* so that the sample is only ciphertext */
    BULLA_FRAME_BYTE_LIMIT = 1 << 30   /* libcrypto counts in 31 bits; 2^26 blocks, no wrap */
};

/* Seals and opens the frames of one segment of the log. Only one thread at a time may use it; with
 * BULLA_SUITE_PLAIN any number may, because nothing in it changes. */
typedef struct bulla_frame_cipher bulla_frame_cipher;

/* Where a frame is, and its kind. A frame is bound to these, to its length, and to its segment. */
typedef struct {
    uint64_t sequence; /* of the log's half */
    uint64_t offset;   /* in that half */
    uint8_t previous[BULLA_TAG_BYTES]; /* the tag of the previous frame */
    uint8_t kind;
} bulla_frame_place;

/* Makes a cipher with its own contexts of libcrypto, which hold the keys until it is destroyed.
 *
 *   key   BULLA_FRAME_KEY_BYTES; plain: may be NULL
 *   seed  plain: the seed of the segment's checksums; otherwise ignored */
bulla_cipher_status
bulla_frame_cipher_create(bulla_suite suite, const void *_Nullable key, uint64_t seed,
                          const void *file_identifier, /* BULLA_FILE_IDENTIFIER_BYTES */
                          uint16_t format_version, bulla_frame_cipher *_Nullable *_Nonnull out)
    __attribute__((warn_unused_result));

/* Wipes the cipher and frees it. */
void bulla_frame_cipher_destroy(bulla_frame_cipher *_Nullable cipher);

/* Seals one frame under a fresh random nonce (SP 800-38D, 8.2.2), drawn from the kernel in this
 * call.
 *
 *   in   at least BULLA_FRAME_CONTENT_BYTE_MINIMUM; where its ciphertext goes, or outside `out`
 *   out  in_len + BULLA_FRAME_EXTRA_BYTES, at most BULLA_FRAME_BYTE_LIMIT, private to the caller:
 *        masked head, nonce, ciphertext, tag; wiped if the call fails */
bulla_cipher_status bulla_frame_seal(bulla_frame_cipher *cipher, const bulla_frame_place *place,
                                     const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* Writes the head of a frame without its mask: a claim, until the frame has opened.
 *
 *   in    BULLA_FRAME_SAMPLED_BYTES
 *   head  BULLA_FRAME_HEAD_BYTES */
bulla_cipher_status bulla_frame_unmask(bulla_frame_cipher *cipher, const void *in, void *head)
    __attribute__((warn_unused_result));

/* Opens what bulla_frame_seal wrote: BULLA_CIPHER_BAD_TAG if any bit of it or of its place differs.
 *
 *   in   private to the caller, because shared memory can change while it is read
 *   out  in_len - BULLA_FRAME_EXTRA_BYTES, not in `in`; zeroed if the call fails */
bulla_cipher_status bulla_frame_open(bulla_frame_cipher *cipher, const bulla_frame_place *place,
                                     const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

#pragma clang assume_nonnull end

#endif
