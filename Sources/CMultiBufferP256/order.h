// Arithmetic modulo n, the order of the base point, in the same form as modulo p.
#pragma once
#include "limbs.h"

static const uint8_t order_bytes[32] = {
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
};
static const uint64_t order_n[LIMBS] = {0x9cac2fc632551, 0xada7179e84f3b, 0xfffffffbce6fa, 0xfffffffff, 0xffffffff0000};
// 2^260 and 2^520 modulo n, and −1/n modulo 2^52.
static const uint64_t order_one[LIMBS] = {0x353d039cdaaf0, 0x258e8617b0c46, 0x4319055, 0xfff0000000000, 0xfffff};
static const uint64_t order_one_squared[LIMBS] = {
    0x5cc0dea6dc3ba, 0x192a067d8a084, 0xbec59615571bb, 0x1fc245b2392b6, 0xe12d9559d956,
};
static const uint64_t order_clearing = 0x1c8aaee00bc4f;

/// Divides a product by 2^260, to below a·b / 2^260 + n. No limb comes above 21 · 2^52.
INLINE number order_divided(lanes t[2 * LIMBS]) {
    UNROLL
    for (int i = 0; i < LIMBS; i++) {
        const lanes m = ADD_LOW(_mm512_setzero_si512(), t[i], EACH(order_clearing));
        UNROLL
        for (int j = 0; j < LIMBS; j++) {
            t[i + j] = ADD_LOW(t[i + j], m, EACH(order_n[j]));
            t[i + j + 1] = ADD_HIGH(t[i + j + 1], m, EACH(order_n[j]));
        }
        t[i + 1] = PLUS(t[i + 1], _mm512_srli_epi64(t[i], 52));
    }
    return upper_half(t);
}

INLINE number order_product(number a, number b) {
    lanes t[2 * LIMBS];
    multiply(t, a, b);
    return order_divided(t);
}

INLINE number order_square(number a) {
    lanes t[2 * LIMBS];
    square(t, a);
    return order_divided(t);
}

/// 1/a as a^(n − 2), four bits of the exponent at a time. The exponent is no secret.
static TARGET number order_inverse(number a) {
    number powers[16];
    powers[0] = constant(order_one);
    for (int i = 1; i < 16; i++) powers[i] = order_product(powers[i - 1], a);
    number r = powers[order_bytes[0] >> 4];
    for (int digit = 1; digit < 64; digit++) {
        const int byte = order_bytes[digit / 2] - (digit / 2 == 31 ? 2 : 0);
        const int bits = digit % 2 ? byte & 15 : byte >> 4;
        for (int i = 0; i < 4; i++) r = order_square(r);
        if (bits) r = order_product(r, powers[bits]);
    }
    return r;
}
