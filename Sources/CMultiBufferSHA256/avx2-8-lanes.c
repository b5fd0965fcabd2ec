// Eight messages side by side, one in each 32-bit element of the AVX2 registers.
#if defined(__x86_64__)
#include <immintrin.h>

#include "constants.h"
#include "kernels.h"

#define LANES 8
#define TARGET __attribute__((target("avx2")))

typedef __m256i words;

static inline TARGET words add(words x, words y) {
    return _mm256_add_epi32(x, y);
}

static inline TARGET words xor3(words x, words y, words z) {
    return _mm256_xor_si256(_mm256_xor_si256(x, y), z);
}

#define ROTATE(x, n) _mm256_or_si256(_mm256_srli_epi32(x, n), _mm256_slli_epi32(x, 32 - (n)))
// FIPS 180-4, 4.1.2; choice and majority in the forms with the fewest instructions.
#define BIG_SIGMA_0(x) xor3(ROTATE(x, 2), ROTATE(x, 13), ROTATE(x, 22))
#define BIG_SIGMA_1(x) xor3(ROTATE(x, 6), ROTATE(x, 11), ROTATE(x, 25))
#define SMALL_SIGMA_0(x) xor3(ROTATE(x, 7), ROTATE(x, 18), _mm256_srli_epi32(x, 3))
#define SMALL_SIGMA_1(x) xor3(ROTATE(x, 17), ROTATE(x, 19), _mm256_srli_epi32(x, 10))
#define CHOICE(x, y, z) _mm256_xor_si256(z, _mm256_and_si256(x, _mm256_xor_si256(y, z)))
#define MAJORITY(x, y, z) _mm256_xor_si256(y, _mm256_and_si256(_mm256_xor_si256(x, y), _mm256_xor_si256(y, z)))

/// Reads half a block of each message and turns it round: `w[i]` becomes word i of every message.
static inline TARGET void read_half(const uint8_t *const *bytes, size_t offset, words w[8]) {
    const words big_endian =
        _mm256_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203, 0x0c0d0e0f08090a0b, 0x0405060700010203);
    words r[LANES], t[LANES];
    CMB_UNROLL
    for (int i = 0; i < LANES; i++) {
        r[i] = _mm256_shuffle_epi8(_mm256_loadu_si256((const words *)(bytes[i] + offset)), big_endian);
    }
    CMB_UNROLL
    for (int i = 0; i < LANES; i += 2) {
        t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    CMB_UNROLL
    for (int i = 0; i < LANES; i += 4) {
        r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    CMB_UNROLL
    for (int i = 0; i < 4; i++) {
        w[i] = _mm256_permute2x128_si256(r[i], r[4 + i], 0x20);
        w[4 + i] = _mm256_permute2x128_si256(r[i], r[4 + i], 0x31);
    }
}

// FIPS 180-4, 6.2.2 step 1, in a ring of sixteen words.
#define EXTEND(i) \
    (w[(i) & 15] = add(add(w[(i) & 15], SMALL_SIGMA_0(w[((i) + 1) & 15])), \
                       add(w[((i) + 9) & 15], SMALL_SIGMA_1(w[((i) + 14) & 15]))))
// Step 3.
#define ROUND_OF(a, b, c, d, e, f, g, h, i, word) \
    do { \
        const words t1 = \
            add(add(add(h, add(word, _mm256_set1_epi32((int)cmb_k[i]))), CHOICE(e, f, g)), BIG_SIGMA_1(e)); \
        d = add(d, t1); \
        h = add(add(t1, MAJORITY(a, b, c)), BIG_SIGMA_0(a)); \
    } while (0);
#define FIRST(a, b, c, d, e, f, g, h, i) ROUND_OF(a, b, c, d, e, f, g, h, i, w[(i) & 15])
#define NEXT(a, b, c, d, e, f, g, h, i) ROUND_OF(a, b, c, d, e, f, g, h, i, EXTEND(i))

TARGET void cmb_sha256_x8(uint32_t *states, const uint8_t *const *bytes, size_t blocks) {
    words state[8];
    CMB_UNROLL
    for (int i = 0; i < 8; i++) state[i] = _mm256_loadu_si256((const words *)(states + LANES * i));
    for (size_t block = 0; block < blocks; block++) {
        words w[16];
        read_half(bytes, 64 * block, w);
        read_half(bytes, 64 * block + 32, w + 8);
        words a = state[0], b = state[1], c = state[2], d = state[3];
        words e = state[4], f = state[5], g = state[6], h = state[7];
        CMB_SIXTEEN_ROUNDS(FIRST, 0)
        CMB_SIXTEEN_ROUNDS(NEXT, 16)
        CMB_SIXTEEN_ROUNDS(NEXT, 32)
        CMB_SIXTEEN_ROUNDS(NEXT, 48)
        const words worked[8] = {a, b, c, d, e, f, g, h};
        CMB_UNROLL
        for (int i = 0; i < 8; i++) state[i] = add(state[i], worked[i]);
    }
    CMB_UNROLL
    for (int i = 0; i < 8; i++) _mm256_storeu_si256((words *)(states + LANES * i), state[i]);
}
#endif
