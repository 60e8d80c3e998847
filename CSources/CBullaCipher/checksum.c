/* XXH64, written from its specification (xxHash fast digest algorithm, version 0.1.1, "XXH64"). */
#include "CBullaCipher.h"

#include "little_endian.h"

static const uint64_t prime1 = 0x9E3779B185EBCA87u;
static const uint64_t prime2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t prime3 = 0x165667B19E3779F9u;
static const uint64_t prime4 = 0x85EBCA77C2B2AE63u;
static const uint64_t prime5 = 0x27D4EB2F165667C5u;

enum { stripe_bytes = 32, lane_bytes = 8 };

static inline uint64_t rotate(uint64_t word, int bits) {
    return (word << bits) | (word >> (64 - bits));
}

static inline uint64_t round64(uint64_t accumulator, uint64_t lane) {
    return rotate(accumulator + lane * prime2, 31) * prime1;
}

static inline uint64_t merge(uint64_t accumulator, uint64_t lane) {
    return (accumulator ^ round64(0, lane)) * prime1 + prime4;
}

/* Steps 1 to 3: whole stripes, in four lanes that do not wait for one another. */
static uint64_t stripes(const uint8_t *bytes, const uint8_t *end, uint64_t seed) {
    uint64_t a = seed + prime1 + prime2, b = seed + prime2, c = seed, d = seed - prime1;
    for (; bytes < end; bytes += stripe_bytes) {
        a = round64(a, bulla_load64(bytes));
        b = round64(b, bulla_load64(bytes + 8));
        c = round64(c, bulla_load64(bytes + 16));
        d = round64(d, bulla_load64(bytes + 24));
    }
    uint64_t sum = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    return merge(merge(merge(merge(sum, a), b), c), d);
}

/* Step 5: the bytes after the last whole stripe. */
static uint64_t rest(uint64_t sum, const uint8_t *bytes, size_t left) {
    for (; left >= lane_bytes; bytes += lane_bytes, left -= lane_bytes) {
        sum = rotate(sum ^ round64(0, bulla_load64(bytes)), 27) * prime1 + prime4;
    }
    if (left >= 4) {
        sum = rotate(sum ^ bulla_load32(bytes) * prime1, 23) * prime2 + prime3;
        bytes += 4;
        left -= 4;
    }
    for (; left > 0; bytes += 1, left -= 1) {
        sum = rotate(sum ^ *bytes * prime5, 11) * prime1;
    }
    return sum;
}

/* Step 6: every bit of the input reaches every bit of the sum. */
static uint64_t avalanche(uint64_t sum) {
    sum = (sum ^ (sum >> 33)) * prime2;
    sum = (sum ^ (sum >> 29)) * prime3;
    return sum ^ (sum >> 32);
}

uint64_t bulla_checksum64(const void *in, size_t in_len, uint64_t seed) {
    const uint8_t *bytes = in;
    size_t left = in_len % stripe_bytes;
    const uint8_t *end = bytes + (in_len - left);
    uint64_t sum = in_len >= stripe_bytes ? stripes(bytes, end, seed) : seed + prime5;
    return avalanche(rest(sum + in_len, end, left));
}
