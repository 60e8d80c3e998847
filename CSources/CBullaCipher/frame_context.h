/* The bytes before a frame's ciphertext, and those authenticated with it. All numbers are
 * little-endian.
 *
 *   offset  bytes  head, which is masked
 *        0      4  byte count of the frame
 *        4      1  kind
 *        5      3  zero
 *        8      8  the first bytes of the previous frame's tag
 *
 *   offset  bytes  context
 *        0     16  file identifier
 *       16     16  tag of the previous frame
 *       32      8  sequence of the log's half
 *       40      8  offset in that half
 *       48      4  byte count of the frame
 *       52      2  format version
 *       54      1  kind
 *       55      1  suite */
#ifndef BULLA_FRAME_CONTEXT_H
#define BULLA_FRAME_CONTEXT_H

#include "CBullaCipher.h"
#include "little_endian.h"

#include <assert.h>

struct bulla_frame_head {
    uint32_t byte_count;
    uint8_t kind;
    uint8_t zero[3];
    uint8_t previous[8];
};

static_assert(sizeof(struct bulla_frame_head) == BULLA_FRAME_HEAD_BYTES, "the head has no gaps");

struct bulla_frame_context {
    uint8_t file_identifier[BULLA_FILE_IDENTIFIER_BYTES];
    uint8_t previous[BULLA_TAG_BYTES];
    uint64_t sequence;
    uint64_t offset;
    uint32_t byte_count;
    uint16_t format_version;
    uint8_t kind;
    uint8_t suite;
};

static_assert(sizeof(struct bulla_frame_context) == 56, "the context has no gaps");
static_assert(offsetof(struct bulla_frame_context, sequence) == 32, "behind the previous tag");
static_assert(offsetof(struct bulla_frame_context, byte_count) == 48, "behind the offset");
static_assert(offsetof(struct bulla_frame_context, kind) == 54, "behind the format version");

/* The head of a frame, before it is masked. */
static inline struct bulla_frame_head bulla_frame_head_of(const bulla_frame_place *place,
                                                          size_t frame_bytes) {
    struct bulla_frame_head head = {
        .byte_count = bulla_little32((uint32_t)frame_bytes),
        .kind = place->kind,
    };
    memcpy(head.previous, place->previous, sizeof head.previous);
    return head;
}

/* The context of one frame: `segment`, with the parts that all frames of the segment share, and the
 * frame's own parts. */
static inline struct bulla_frame_context
bulla_frame_context_of(const struct bulla_frame_context *segment, const bulla_frame_place *place,
                       size_t frame_bytes) {
    struct bulla_frame_context context = *segment;
    memcpy(context.previous, place->previous, sizeof context.previous);
    context.sequence = bulla_little64(place->sequence);
    context.offset = bulla_little64(place->offset);
    context.byte_count = bulla_little32((uint32_t)frame_bytes);
    context.kind = place->kind;
    return context;
}

#endif
