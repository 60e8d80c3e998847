/* What a sealed page is bound to: bytes authenticated with it. All numbers are little-endian.
 *
 *   offset  bytes  field
 *        0     16  file identifier
 *       16      8  page number
 *       24      8  birth commit
 *       32      4  key epoch
 *       36      1  page kind
 *       37      1  suite
 *       38      2  format version */
#ifndef BULLA_PAGE_CONTEXT_H
#define BULLA_PAGE_CONTEXT_H

#include "CBullaCipher.h"
#include "little_endian.h"

#include <assert.h>

struct bulla_page_context {
    uint8_t file_identifier[BULLA_FILE_IDENTIFIER_BYTES];
    uint64_t page_number;
    uint64_t birth;
    uint32_t epoch;
    uint8_t kind;
    uint8_t suite;
    uint16_t format_version;
};

static_assert(sizeof(struct bulla_page_context) == BULLA_CONTEXT_BYTES, "the context has no gaps");
static_assert(offsetof(struct bulla_page_context, page_number) == 16, "behind the identifier");
static_assert(offsetof(struct bulla_page_context, birth) == 24, "behind the page number");
static_assert(offsetof(struct bulla_page_context, epoch) == 32, "behind the birth");
static_assert(offsetof(struct bulla_page_context, kind) == 36, "behind the epoch");
static_assert(offsetof(struct bulla_page_context, format_version) == 38, "at the end");

/* The context of one page: `file`, with the parts that all pages of the file share, and the page's
 * own parts. */
static inline struct bulla_page_context bulla_page_context_of(const struct bulla_page_context *file,
                                                              const bulla_page_job *job) {
    struct bulla_page_context context = *file;
    context.page_number = bulla_little64(job->page_number);
    context.birth = bulla_little64(job->birth);
    context.epoch = bulla_little32(job->epoch);
    context.kind = job->kind;
    return context;
}

/* The bytes after the content of a sealed page. */
struct bulla_page_trailer {
    uint8_t nonce[BULLA_NONCE_BYTES];
    uint8_t tag[BULLA_TAG_BYTES];
    uint8_t epoch[BULLA_EPOCH_BYTES];
};

static_assert(sizeof(struct bulla_page_trailer) == BULLA_TRAILER_BYTES, "the trailer has no gaps");

static inline void bulla_trailer_set_epoch(struct bulla_page_trailer *trailer, uint32_t epoch) {
    uint32_t word = bulla_little32(epoch);
    memcpy(trailer->epoch, &word, sizeof word);
}

static inline uint32_t bulla_trailer_epoch(const struct bulla_page_trailer *trailer) {
    return bulla_load32(trailer->epoch);
}

/* The part of the tag that a parent page keeps. */
static inline uint64_t bulla_trailer_check(const struct bulla_page_trailer *trailer) {
    return bulla_load64(trailer->tag);
}

#endif
