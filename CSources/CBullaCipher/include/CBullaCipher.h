/* The cipher library: the parts of libcrypto that Bulla uses, and the kernel's random source.
 *
 * Nothing here names a type of libcrypto. Every length is checked before anything is written: a
 * call that is refused for a bad length does not touch its buffers. If any other failed call may
 * have filled a buffer with plaintext, it wipes the buffer before it returns. */
#ifndef BULLA_CIPHER_H
#define BULLA_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum {
    BULLA_CIPHER_OK = 0,
    BULLA_CIPHER_BAD_ARGUMENT = 1, /* a length, suite or null pointer is wrong; nothing written */
    BULLA_CIPHER_BAD_TAG = 2,      /* forged, torn or from another place; `out` is zeroed */
    BULLA_CIPHER_STALE_CHECK = 3,  /* not the version that the parent names; `out` is zeroed */
    BULLA_CIPHER_LIBRARY = 4,      /* libcrypto refused, or lacks an algorithm */
    BULLA_CIPHER_RANDOM = 5,       /* the kernel gave no random bytes */
    BULLA_CIPHER_MEMORY = 6,       /* no memory */
    BULLA_CIPHER_UNAVAILABLE = 7,  /* this libcrypto lacks what the call needs; other calls work */
} bulla_cipher_status;

/* How a page is sealed. Files contain these numbers. */
typedef enum {
    BULLA_SUITE_PLAIN = 0,                 /* no key: XXH64 in place of the tag */
    BULLA_SUITE_AES_256_GCM = 1,           /* NIST SP 800-38D */
    BULLA_SUITE_AES_256_CTR_HMAC_SHA2 = 2, /* NIST SP 800-38A, 6.5, then FIPS 198-1 */
} bulla_suite;

enum {
    BULLA_KEY_BYTES = 32,             /* an AES-256 key (FIPS 197), or an HMAC key */
    BULLA_DATA_KEY_BYTES = 64,        /* AES-256 key, then HMAC key */
    BULLA_NONCE_BYTES = 12,           /* SP 800-38D, 5.2.1.1: the length GCM is made for */
    BULLA_TAG_BYTES = 16,             /* SP 800-38D, 5.2.1.2: the longest; HMAC: RFC 2104, 5 */
    BULLA_EPOCH_BYTES = 4,            /* a little-endian number */
    BULLA_TRAILER_BYTES = 32,         /* nonce, tag, epoch */
    BULLA_CONTEXT_BYTES = 40,         /* see page_context.h */
    BULLA_FILE_IDENTIFIER_BYTES = 16, /* random: a salt, and a part of each page's context */
    BULLA_DIGEST_BYTES = 32,          /* FIPS 180-4, SHA-256 */
    BULLA_RECORD_BYTE_LIMIT = 1024,   /* a record is small; pages have their own functions */
    BULLA_RECORD_EXTRA_BYTES = 28,    /* nonce before the record, tag behind it */
    BULLA_PAGE_BYTE_MINIMUM = 64,     /* a trailer, and content to seal */
    BULLA_PAGE_BYTE_LIMIT = 65536,    /* 4096 blocks: the 32-bit block counter never wraps */
    BULLA_HKDF_INFO_BYTE_LIMIT = 1024, /* libcrypto 3.0 takes no more */
    BULLA_STRETCHED_BYTE_LIMIT = 64,   /* RFC 7914, section 12: the length of the test vectors */
    BULLA_VAULT_NONCE_BYTES = 24,      /* C2SP XAES-256-GCM: 12 for the key, 12 for GCM */
    BULLA_VAULT_EXTRA_BYTES = 40,      /* nonce before the ciphertext, tag behind it */
    BULLA_VAULT_CONTEXT_BYTE_LIMIT = 2048, /* an identity, and what surrounds it */
    BULLA_NONCE_BATCH_COUNT = 64,      /* nonces in one draw: one system call for all of them */
    BULLA_ITEM_EXTRA_BYTES = 28,       /* nonce before the ciphertext, tag behind it */
    BULLA_PAIR_KEY_BYTES = 32,         /* RFC 7748, 5; RFC 8032, 5.1.5: private and public alike */
    BULLA_SIGNATURE_BYTES = 64,        /* RFC 8032, 5.1.6 */
    BULLA_P256_KEY_BYTE_LIMIT = 256,   /* RFC 5480: usually 91 bytes, more with parameters */
    BULLA_P256_SIGNATURE_BYTE_LIMIT = 72 /* two numbers of 33 bytes, in DER */
};

/* A run of bytes, which this structure does not own. */
typedef struct {
    const void *base;
    size_t byte_count;
} bulla_bytes;

/* ---- Pages ---- */

/* Seals and opens the pages of one file under one data key. Only one thread at a time may use it;
 * with BULLA_SUITE_PLAIN any number may, because nothing in it changes. */
typedef struct bulla_page_cipher bulla_page_cipher;

/* One page to seal or to open.
 *
 *   field        seal                        open
 *   in           content, page - 32 bytes    sealed page
 *   out          sealed page                 content, page - 32 bytes; plain: NULL to verify only
 *   page_number  what the page is bound to   what it must be bound to
 *   birth        "                           "
 *   epoch        "; plain: 0                 "
 *   kind         "                           "
 *   check        set: the tag's first 8      from the parent: must be the tag's first 8
 *
 * `in` and `out` must be the same place, or must not overlap. */
typedef struct {
    const void *in;
    void *_Nullable out;
    uint64_t page_number;
    uint64_t birth;
    uint32_t epoch;
    uint8_t kind;
    uint64_t check;
} bulla_page_job;

/* Makes a cipher with its own contexts of libcrypto, which hold the key until it is destroyed.
 *
 *   key    BULLA_DATA_KEY_BYTES; for GCM the first BULLA_KEY_BYTES suffice; plain: may be NULL
 *   page_bytes  BULLA_PAGE_BYTE_MINIMUM to BULLA_PAGE_BYTE_LIMIT */
bulla_cipher_status
bulla_page_cipher_create(bulla_suite suite, const void *_Nullable key,
                         const void *file_identifier, /* BULLA_FILE_IDENTIFIER_BYTES */
                         uint16_t format_version, size_t page_bytes,
                         bulla_page_cipher *_Nullable *_Nonnull out)
    __attribute__((warn_unused_result));

/* Wipes the cipher and frees it. */
void bulla_page_cipher_destroy(bulla_page_cipher *_Nullable cipher);

/* Seals `count` pages, each under a fresh random nonce, drawn from the kernel in batches.
 *
 * If it fails, no `out` may be used: some hold sealed pages, one may be wiped, the rest is
 * unchanged. */
bulla_cipher_status bulla_pages_seal(bulla_page_cipher *cipher, bulla_page_job *jobs, size_t count)
    __attribute__((warn_unused_result));

/* Opens `count` pages in order, up to the first that does not open, whose index goes to `failed`:
 * the pages before it are opened, its own `out` is zeroed, and those after it are not touched.
 *
 * BULLA_CIPHER_STALE_CHECK: the tag does not begin with `check`. BULLA_CIPHER_BAD_TAG: it does, but
 * the page's bytes, or the fields that it is bound to, are not those that were sealed. */
bulla_cipher_status bulla_pages_open(bulla_page_cipher *cipher, const bulla_page_job *jobs,
                                     size_t count, size_t *failed)
    __attribute__((warn_unused_result));

/* The key epoch in which a page was sealed, according to the page: a claim until the page has
 * opened. */
uint32_t bulla_page_epoch(const void *sealed /* page_bytes */, size_t page_bytes);

/* ---- Records ---- */

/* Seals a small record with AES-256-GCM under a random nonce.
 *
 *   key      BULLA_KEY_BYTES, for at most 2^32 records (SP 800-38D, 8.3)
 *   context  authenticated, not encrypted; at most BULLA_RECORD_BYTE_LIMIT
 *   in       at most BULLA_RECORD_BYTE_LIMIT
 *   out      in_len + BULLA_RECORD_EXTRA_BYTES: nonce, ciphertext, tag; does not overlap `in` */
bulla_cipher_status bulla_record_seal(const void *key, const void *context, size_t context_len,
                                      const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* Opens what bulla_record_seal wrote. `out` holds in_len - BULLA_RECORD_EXTRA_BYTES; zeroed if the
 * call fails. */
bulla_cipher_status bulla_record_open(const void *key, const void *context, size_t context_len,
                                      const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* ---- Primitives. Only tests with known answers may choose a nonce: others draw it. ---- */

/* AES-256-GCM. `out` holds in_len + BULLA_TAG_BYTES: ciphertext, tag. */
bulla_cipher_status bulla_gcm_seal(const void *key /* BULLA_KEY_BYTES */,
                                   const void *nonce /* BULLA_NONCE_BYTES */, const void *context,
                                   size_t context_len, const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* AES-256-GCM. `in` is ciphertext and tag, `out` holds in_len - BULLA_TAG_BYTES; zeroed if the call
 * fails. */
bulla_cipher_status bulla_gcm_open(const void *key /* BULLA_KEY_BYTES */,
                                   const void *nonce /* BULLA_NONCE_BYTES */, const void *context,
                                   size_t context_len, const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* AES-256-CTR from the counter block `counter`, possibly in place; the same call encrypts and
 * decrypts. */
bulla_cipher_status bulla_ctr_apply(const void *key /* BULLA_KEY_BYTES */,
                                    const void *counter /* 16 */, const void *in, size_t in_len,
                                    void *out /* in_len */) __attribute__((warn_unused_result));

/* ---- Vaults ---- */

/* Random nonces of BULLA_VAULT_NONCE_BYTES, drawn from the kernel BULLA_NONCE_BATCH_COUNT at a
 * time. Only one thread at a time may use it. */
typedef struct bulla_nonces bulla_nonces;

/* Makes a source that has drawn nothing yet. */
bulla_cipher_status bulla_nonces_create(bulla_nonces *_Nullable *_Nonnull out)
    __attribute__((warn_unused_result));

/* Wipes the remaining nonces and frees the source. */
void bulla_nonces_destroy(bulla_nonces *_Nullable nonces);

/* The next nonce. It comes from the last batch only if this process drew that in the same tick of
 * the coarse clock; otherwise a new batch is drawn.
 *
 *   tick  what bulla_nonces_tick returns; only tests pass anything else */
bulla_cipher_status bulla_nonces_take(bulla_nonces *nonces, uint64_t tick,
                                      void *out /* BULLA_VAULT_NONCE_BYTES */)
    __attribute__((warn_unused_result));

/* How many nonces of the last batch are left, for tests. */
size_t bulla_nonces_left(const bulla_nonces *nonces);

/* The reading of the coarse clock, which changes every 1 to 10 ms, depending on the kernel's
 * build. */
uint64_t bulla_nonces_tick(void);

/* XAES-256-GCM under one key (C2SP, XAES-256-GCM). Only one thread at a time may use it. */
typedef struct bulla_vault_cipher bulla_vault_cipher;

/* Makes a cipher with its own contexts of libcrypto, which hold the key until it is destroyed. */
bulla_cipher_status bulla_vault_cipher_create(const void *key /* BULLA_KEY_BYTES */,
                                              bulla_vault_cipher *_Nullable *_Nonnull out)
    __attribute__((warn_unused_result));

/* Wipes the cipher and frees it. */
void bulla_vault_cipher_destroy(bulla_vault_cipher *_Nullable cipher);

/* Seals under a fresh random nonce.
 *
 *   context  authenticated, not encrypted; at most BULLA_VAULT_CONTEXT_BYTE_LIMIT
 *   in       at most UINT32_MAX - BULLA_VAULT_EXTRA_BYTES
 *   out      in_len + BULLA_VAULT_EXTRA_BYTES: nonce, ciphertext, tag; wiped if the call fails
 *
 * `in` can be where the ciphertext goes, but must not overlap `out` in any other way. */
bulla_cipher_status bulla_vault_seal(bulla_vault_cipher *cipher, const void *context,
                                     size_t context_len, const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* Does the same under a given nonce, for known answers only. */
bulla_cipher_status bulla_vault_seal_under(bulla_vault_cipher *cipher,
                                           const void *nonce, /* BULLA_VAULT_NONCE_BYTES */
                                           const void *context, size_t context_len, const void *in,
                                           size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* Opens what bulla_vault_seal wrote. `out` holds in_len - BULLA_VAULT_EXTRA_BYTES; zeroed if the
 * call fails. It can be where the ciphertext is, but must not overlap `in` in any other way. */
bulla_cipher_status bulla_vault_open(bulla_vault_cipher *cipher, const void *context,
                                     size_t context_len, const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* ---- Items of records ---- */

/* AES-256-GCM under one key after another, each of which seals a few items under random nonces: at
 * most 2^32 (SP 800-38D, 8.3). Only one thread at a time may use it. */
typedef struct bulla_item_cipher bulla_item_cipher;

/* Makes a cipher with its own contexts of libcrypto. They hold the keys that were set last, until
 * the cipher is destroyed. */
bulla_cipher_status bulla_item_cipher_create(bulla_item_cipher *_Nullable *_Nonnull out)
    __attribute__((warn_unused_result));

/* Wipes the cipher and frees it. */
void bulla_item_cipher_destroy(bulla_item_cipher *_Nullable cipher);

/* Sets the key for all later calls in one direction. */
bulla_cipher_status bulla_item_set_key(bulla_item_cipher *cipher,
                                       const void *key /* BULLA_KEY_BYTES */, bool is_sealing)
    __attribute__((warn_unused_result));

/* Seals under a fresh random nonce.
 *
 *   context  runs of bytes, authenticated one after another, not encrypted
 *   in       can be empty; lies where its ciphertext goes, or does not overlap `out`
 *   out      in_len + BULLA_ITEM_EXTRA_BYTES: nonce, ciphertext, tag; wiped if the call fails */
bulla_cipher_status bulla_item_seal(bulla_item_cipher *cipher,
                                    const bulla_bytes *_Nullable context, size_t context_count,
                                    const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* Does the same under a given nonce, for known answers only. */
bulla_cipher_status bulla_item_seal_under(bulla_item_cipher *cipher,
                                          const void *nonce /* BULLA_NONCE_BYTES */,
                                          const bulla_bytes *_Nullable context,
                                          size_t context_count, const void *in, size_t in_len,
                                          void *out) __attribute__((warn_unused_result));

/* Opens what bulla_item_seal wrote. `out` holds in_len - BULLA_ITEM_EXTRA_BYTES; it lies where the
 * ciphertext does, or does not overlap `in`; zeroed if the call fails. */
bulla_cipher_status bulla_item_open(bulla_item_cipher *cipher,
                                    const bulla_bytes *_Nullable context, size_t context_count,
                                    const void *in, size_t in_len, void *out)
    __attribute__((warn_unused_result));

/* ---- Pairs of keys ---- */

typedef enum {
    BULLA_PAIR_AGREEMENT = 1, /* X25519 (RFC 7748) */
    BULLA_PAIR_SIGNATURE = 2, /* Ed25519 (RFC 8032) */
} bulla_pair_kind;

/* The public key of a private key, which is any 32 random bytes. */
bulla_cipher_status bulla_pair_public(bulla_pair_kind kind,
                                      const void *private_key /* BULLA_PAIR_KEY_BYTES */,
                                      void *public_key /* BULLA_PAIR_KEY_BYTES */)
    __attribute__((warn_unused_result));

/* The secret that two X25519 keys agree on, which must go through HKDF before it serves as a key.
 * BULLA_CIPHER_BAD_TAG for a public key with which every agreement gives zero; `out` is zeroed if
 * the call fails. */
bulla_cipher_status bulla_pair_agree(const void *private_key /* BULLA_PAIR_KEY_BYTES */,
                                     const void *public_key /* BULLA_PAIR_KEY_BYTES */,
                                     void *out /* BULLA_PAIR_KEY_BYTES */)
    __attribute__((warn_unused_result));

/* Signs by Ed25519. */
bulla_cipher_status bulla_pair_sign(const void *private_key /* BULLA_PAIR_KEY_BYTES */,
                                    const void *in, size_t in_len,
                                    void *signature /* BULLA_SIGNATURE_BYTES */)
    __attribute__((warn_unused_result));

/* Checks a signature by Ed25519: BULLA_CIPHER_BAD_TAG if this key did not sign this message. */
bulla_cipher_status bulla_pair_verify(const void *public_key /* BULLA_PAIR_KEY_BYTES */,
                                      const void *in, size_t in_len,
                                      const void *signature /* BULLA_SIGNATURE_BYTES */)
    __attribute__((warn_unused_result));

/* Signs by ECDSA over P-256 with SHA-256 (FIPS 186-5); the signature's length goes to `byte_count`.
 * The key is DER (RFC 5915 or RFC 5958), as is the signature (RFC 3279, 2.2.3). */
bulla_cipher_status bulla_p256_sign(bulla_bytes private_key, bulla_bytes message,
                                    void *signature /* BULLA_P256_SIGNATURE_BYTE_LIMIT */,
                                    size_t *byte_count) __attribute__((warn_unused_result));

/* Checks such a signature: BULLA_CIPHER_BAD_TAG if this key did not sign this message. The key is
 * a SubjectPublicKeyInfo in DER (RFC 5480): BULLA_CIPHER_BAD_ARGUMENT for any other. */
bulla_cipher_status bulla_p256_verify(bulla_bytes public_key, bulla_bytes message,
                                      bulla_bytes signature) __attribute__((warn_unused_result));

/* ---- Passwords ----
 *
 * The caller decides which numbers are safe and affordable: these functions take any that the RFCs
 * allow, for known answers. Both zero `out` if they fail, unless an argument is bad. */

/* scrypt (RFC 7914, section 6). Takes 128 * r * (n + p + 2) bytes of memory, which libcrypto wipes.
 *
 *   n        a power of two above 1, and below 2^(128 * r / 8)
 *   r, p     at least 1; r * p below 2^30
 *   out      1 to BULLA_STRETCHED_BYTE_LIMIT bytes */
bulla_cipher_status bulla_scrypt(bulla_bytes password, bulla_bytes salt, uint64_t n, uint32_t r,
                                 uint32_t p, void *out, size_t out_len)
    __attribute__((warn_unused_result));

/* PBKDF2-HMAC-SHA-256 (RFC 8018, 5.2), one block. Each further block would cost the defender as
 * much again, and an attacker nothing, because the first block reveals a right guess.
 *
 *   iterations  at least 1
 *   out         1 to BULLA_DIGEST_BYTES bytes */
bulla_cipher_status bulla_pbkdf2(bulla_bytes password, bulla_bytes salt, uint32_t iterations,
                                 void *out, size_t out_len) __attribute__((warn_unused_result));

/* ---- Keys and digests ---- */

/* HKDF-SHA-256, extract and expand (RFC 5869).
 *
 *   key   the input key material, at least one byte
 *   salt  may be empty: then 32 zero bytes (RFC 5869, 2.2)
 *   info  at most BULLA_HKDF_INFO_BYTE_LIMIT
 *   out   1 to 255 * 32 bytes (RFC 5869, 2.3); zeroed if the call fails */
bulla_cipher_status bulla_hkdf(const void *key, size_t key_len, const void *salt, size_t salt_len,
                               const void *info, size_t info_len, void *out, size_t out_len)
    __attribute__((warn_unused_result));

/* HMAC-SHA-256 (FIPS 198-1) under one key. Only one thread at a time may use it. */
typedef struct bulla_mac bulla_mac;

/* Makes an HMAC with its own context of libcrypto, which holds the key until it is destroyed. The
 * key has at least one byte. */
bulla_cipher_status bulla_mac_create(const void *key, size_t key_len,
                                     bulla_mac *_Nullable *_Nonnull out)
    __attribute__((warn_unused_result));

/* Wipes the HMAC and frees it. */
void bulla_mac_destroy(bulla_mac *_Nullable mac);

/* The digest of all parts, joined in order. */
bulla_cipher_status bulla_mac_compute(bulla_mac *mac, const bulla_bytes *_Nullable parts,
                                      size_t count, void *out /* BULLA_DIGEST_BYTES */)
    __attribute__((warn_unused_result));

/* SHA-256 (FIPS 180-4). */
bulla_cipher_status bulla_sha256(const void *in, size_t in_len, void *out /* BULLA_DIGEST_BYTES */)
    __attribute__((warn_unused_result));

/* XXH64. Finds accidents, not attacks. */
uint64_t bulla_checksum64(const void *in, size_t in_len, uint64_t seed);

/* ---- Random bytes and secrets ---- */

/* Fills `out` from the kernel's random source, getrandom(2), which waits until it is seeded. */
bulla_cipher_status bulla_random_fill(void *out, size_t out_len)
    __attribute__((warn_unused_result));

/* Overwrites bytes with zeros in a way that no compiler removes. */
void bulla_wipe(void *out, size_t out_len);

/* Compares in a time that depends only on the length. */
bool bulla_equal(const void *one, const void *other, size_t len);

/* Numbers this thread: the first thread to ask is 0, the next is 1. */
unsigned bulla_thread_ordinal(void);

/* The version text of the libcrypto in use. */
const char *bulla_library_version(void);

#pragma clang assume_nonnull end

#include "CBullaFrames.h"

#endif
