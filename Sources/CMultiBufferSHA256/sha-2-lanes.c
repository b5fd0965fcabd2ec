// Two messages through the SHA instructions of x86-64.
//
// sha256rnds2 takes four cycles until its result can be used and two until the next one can start: one message leaves
// the unit idle half of the time, and a second one fits in between.
#if defined(__x86_64__)
#include <immintrin.h>

#include "constants.h"
#include "kernels.h"

#define LANES 2

__attribute__((target("sha,ssse3,sse4.1"))) void cmb_sha256_x2(uint32_t *states, const uint8_t *const *bytes,
                                                                size_t blocks) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    // The instructions want the state in these two orders.
    __m128i abef[LANES], cdgh[LANES];
    CMB_UNROLL
    for (int lane = 0; lane < LANES; lane++) {
        const int *word = (const int *)states + lane;
        abef[lane] = _mm_set_epi32(word[0 * LANES], word[1 * LANES], word[4 * LANES], word[5 * LANES]);
        cdgh[lane] = _mm_set_epi32(word[2 * LANES], word[3 * LANES], word[6 * LANES], word[7 * LANES]);
    }
    for (size_t block = 0; block < blocks; block++) {
        __m128i w[LANES][4], abef_before[LANES], cdgh_before[LANES];
        CMB_UNROLL
        for (int lane = 0; lane < LANES; lane++) {
            abef_before[lane] = abef[lane];
            cdgh_before[lane] = cdgh[lane];
        }
        // Four rounds at a time, first of the one message, then of the other.
        CMB_UNROLL
        for (int four = 0; four < 16; four++) {
            const __m128i k = _mm_loadu_si128((const __m128i *)(cmb_k + 4 * four));
            CMB_UNROLL
            for (int lane = 0; lane < LANES; lane++) {
                __m128i *now = &w[lane][four & 3];
                const __m128i before = w[lane][(four + 3) & 3];
                if (four < 4) {
                    const uint8_t *from = bytes[lane] + 64 * block + 16 * (size_t)four;
                    *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)from), big_endian);
                } else {
                    __m128i sum = _mm_sha256msg1_epu32(*now, w[lane][(four + 1) & 3]);
                    sum = _mm_add_epi32(sum, _mm_alignr_epi8(before, w[lane][(four + 2) & 3], 4));
                    *now = _mm_sha256msg2_epu32(sum, before);
                }
                const __m128i wk = _mm_add_epi32(*now, k);
                cdgh[lane] = _mm_sha256rnds2_epu32(cdgh[lane], abef[lane], wk);
                abef[lane] = _mm_sha256rnds2_epu32(abef[lane], cdgh[lane], _mm_shuffle_epi32(wk, 0x0e));
            }
        }
        CMB_UNROLL
        for (int lane = 0; lane < LANES; lane++) {
            abef[lane] = _mm_add_epi32(abef[lane], abef_before[lane]);
            cdgh[lane] = _mm_add_epi32(cdgh[lane], cdgh_before[lane]);
        }
    }
    CMB_UNROLL
    for (int lane = 0; lane < LANES; lane++) {
        int *word = (int *)states + lane;
        word[0 * LANES] = _mm_extract_epi32(abef[lane], 3);
        word[1 * LANES] = _mm_extract_epi32(abef[lane], 2);
        word[4 * LANES] = _mm_extract_epi32(abef[lane], 1);
        word[5 * LANES] = _mm_extract_epi32(abef[lane], 0);
        word[2 * LANES] = _mm_extract_epi32(cdgh[lane], 3);
        word[3 * LANES] = _mm_extract_epi32(cdgh[lane], 2);
        word[6 * LANES] = _mm_extract_epi32(cdgh[lane], 1);
        word[7 * LANES] = _mm_extract_epi32(cdgh[lane], 0);
    }
}
#endif
