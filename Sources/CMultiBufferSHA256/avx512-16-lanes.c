// Sixteen messages side by side, one in each 32-bit element of the AVX-512 registers.
#if defined(__x86_64__)
#include <immintrin.h>

#include "constants.h"
#include "kernels.h"

#define LANES 16
#define TARGET __attribute__((target("avx512f,avx512bw")))

typedef __m512i words;

static inline TARGET words add(words x, words y) {
    return _mm512_add_epi32(x, y);
}

// The last operand of vpternlog is the function's truth table.
#define XOR3(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define ROTATE(x, n) _mm512_ror_epi32(x, n)
// FIPS 180-4, 4.1.2.
#define BIG_SIGMA_0(x) XOR3(ROTATE(x, 2), ROTATE(x, 13), ROTATE(x, 22))
#define BIG_SIGMA_1(x) XOR3(ROTATE(x, 6), ROTATE(x, 11), ROTATE(x, 25))
#define SMALL_SIGMA_0(x) XOR3(ROTATE(x, 7), ROTATE(x, 18), _mm512_srli_epi32(x, 3))
#define SMALL_SIGMA_1(x) XOR3(ROTATE(x, 17), ROTATE(x, 19), _mm512_srli_epi32(x, 10))
#define CHOICE(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xca)
#define MAJORITY(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xe8)

/// Reads a block of each message and turns it round: `w[i]` becomes word i of every message.
static inline TARGET void read_block(const uint8_t *const *bytes, size_t offset, words w[16]) {
    const words big_endian = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    words r[LANES], t[LANES];
    CMB_UNROLL
    for (int i = 0; i < LANES; i++) r[i] = _mm512_shuffle_epi8(_mm512_loadu_si512(bytes[i] + offset), big_endian);
    CMB_UNROLL
    for (int i = 0; i < LANES; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    CMB_UNROLL
    for (int i = 0; i < LANES; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    // r[4g + i] now holds, in its quarter q, word 4q + i of the messages 4g to 4g + 3.
    CMB_UNROLL
    for (int i = 0; i < 4; i++) {
        const words low_even = _mm512_shuffle_i32x4(r[i], r[4 + i], 0x88);
        const words low_odd = _mm512_shuffle_i32x4(r[i], r[4 + i], 0xdd);
        const words high_even = _mm512_shuffle_i32x4(r[8 + i], r[12 + i], 0x88);
        const words high_odd = _mm512_shuffle_i32x4(r[8 + i], r[12 + i], 0xdd);
        w[i] = _mm512_shuffle_i32x4(low_even, high_even, 0x88);
        w[4 + i] = _mm512_shuffle_i32x4(low_odd, high_odd, 0x88);
        w[8 + i] = _mm512_shuffle_i32x4(low_even, high_even, 0xdd);
        w[12 + i] = _mm512_shuffle_i32x4(low_odd, high_odd, 0xdd);
    }
}

// FIPS 180-4, 6.2.2 step 1, in a ring of sixteen words.
#define EXTEND(i) \
    (w[(i) & 15] = add(add(w[(i) & 15], SMALL_SIGMA_0(w[((i) + 1) & 15])), \
                       add(w[((i) + 9) & 15], SMALL_SIGMA_1(w[((i) + 14) & 15]))))
// Step 3, with one addition more than needed: d does not wait for the sum that h waits for, which is 4 to 8 % faster.
#define ROUND_OF(a, b, c, d, e, f, g, h, i, word) \
    do { \
        const words ready = add(h, add(word, _mm512_set1_epi32((int)cmb_k[i]))); \
        const words chosen = CHOICE(e, f, g), mixed = BIG_SIGMA_1(e); \
        const words t2 = add(MAJORITY(a, b, c), BIG_SIGMA_0(a)); \
        d = add(add(add(d, ready), chosen), mixed); \
        h = add(add(add(ready, chosen), mixed), t2); \
    } while (0);
#define FIRST(a, b, c, d, e, f, g, h, i) ROUND_OF(a, b, c, d, e, f, g, h, i, w[(i) & 15])
#define NEXT(a, b, c, d, e, f, g, h, i) ROUND_OF(a, b, c, d, e, f, g, h, i, EXTEND(i))

TARGET void cmb_sha256_x16(uint32_t *states, const uint8_t *const *bytes, size_t blocks) {
    words state[8];
    CMB_UNROLL
    for (int i = 0; i < 8; i++) state[i] = _mm512_loadu_si512(states + LANES * i);
    for (size_t block = 0; block < blocks; block++) {
        words w[16];
        read_block(bytes, 64 * block, w);
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
    for (int i = 0; i < 8; i++) _mm512_storeu_si512(states + LANES * i, state[i]);
}
#endif
