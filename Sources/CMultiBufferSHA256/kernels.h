// One function for each width; only `kernels.c` names them, and hands out what the features it is given can run.
#pragma once
#include <stddef.h>
#include <stdint.h>

void cmb_sha256_x2(uint32_t *states, const uint8_t *const *bytes, size_t blocks);
void cmb_sha256_x8(uint32_t *states, const uint8_t *const *bytes, size_t blocks);
void cmb_sha256_x16(uint32_t *states, const uint8_t *const *bytes, size_t blocks);

// A loop over registers has to be straight code, or the registers become memory.
#define CMB_UNROLL _Pragma("clang loop unroll(full)")

// Eight rounds, and twice eight. What is h after one round is a in the next: the names move, the values stay in their registers.
#define CMB_EIGHT_ROUNDS(ROUND, i) \
    ROUND(a, b, c, d, e, f, g, h, (i) + 0) \
    ROUND(h, a, b, c, d, e, f, g, (i) + 1) \
    ROUND(g, h, a, b, c, d, e, f, (i) + 2) \
    ROUND(f, g, h, a, b, c, d, e, (i) + 3) \
    ROUND(e, f, g, h, a, b, c, d, (i) + 4) \
    ROUND(d, e, f, g, h, a, b, c, (i) + 5) \
    ROUND(c, d, e, f, g, h, a, b, (i) + 6) \
    ROUND(b, c, d, e, f, g, h, a, (i) + 7)
#define CMB_SIXTEEN_ROUNDS(ROUND, i) CMB_EIGHT_ROUNDS(ROUND, i) CMB_EIGHT_ROUNDS(ROUND, (i) + 8)
