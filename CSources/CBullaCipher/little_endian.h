/* Numbers as they are stored in the file: little-endian on every machine. Not <endian.h>, which
 * strict C17 hides. */
#ifndef BULLA_LITTLE_ENDIAN_H
#define BULLA_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint16_t bulla_little16(uint16_t word) {
    return word;
}
static inline uint32_t bulla_little32(uint32_t word) {
    return word;
}
static inline uint64_t bulla_little64(uint64_t word) {
    return word;
}
#else
static inline uint16_t bulla_little16(uint16_t word) {
    return __builtin_bswap16(word);
}
static inline uint32_t bulla_little32(uint32_t word) {
    return __builtin_bswap32(word);
}
static inline uint64_t bulla_little64(uint64_t word) {
    return __builtin_bswap64(word);
}
#endif

/* Loads from any address, aligned or not. */
static inline uint32_t bulla_load32(const void *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return bulla_little32(word);
}

static inline uint64_t bulla_load64(const void *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return bulla_little64(word);
}

#endif
