// Arithmetic modulo p = 2^256 − 2^224 + 2^192 + 2^96 − 1, with every number times 2^260 (Montgomery, 1985).
//
// A product of a and b comes out below a·b / 2^260 + p. So with a·b up to 16 p² it is below 2p, and the product of
// two numbers below 2p is below 1.25 p. Every number here is normal and below 2p unless its line says otherwise.
#pragma once
#include "limbs.h"

static const uint64_t field_p[LIMBS] = {0xfffffffffffff, 0xfffffffffff, 0, 0x1000000000, 0xffffffff0000};
// 2^260 and 2^520 modulo p: one, and what turns a number into its multiple.
static const uint64_t field_one[LIMBS] = {0x10, 0xf000000000000, 0xfffffffffffff, 0xffeffffffffff, 0xfffff};
static const uint64_t field_one_squared[LIMBS] = {0x300, 0xffffffff00000, 0xffffefffffffb, 0xfdfffffffffff, 0x4ffffff};

/// Divides a product by 2^260. p is −1 modulo 2^52, so what has to be added of it to clear a limb is the limb itself:
/// m·p = m·2^96 + m·2^192 + m·(2^256 − 2^224) − m, of which the last clears. No limb comes above 17 · 2^52.
INLINE number field_divided(lanes t[2 * LIMBS]) {
    const lanes two_44 = EACH(1LL << 44), two_36 = EACH(1LL << 36), top = EACH(field_p[4]);
    UNROLL
    for (int i = 0; i < LIMBS; i++) {
        const lanes m = _mm512_and_epi64(t[i], LIMB_MASK);
        t[i + 1] = PLUS(t[i + 1], _mm512_srli_epi64(t[i], 52));
        t[i + 1] = ADD_LOW(t[i + 1], m, two_44);
        t[i + 2] = ADD_HIGH(t[i + 2], m, two_44);
        t[i + 3] = ADD_LOW(t[i + 3], m, two_36);
        t[i + 4] = ADD_HIGH(t[i + 4], m, two_36);
        t[i + 4] = ADD_LOW(t[i + 4], m, top);
        t[i + 5] = ADD_HIGH(t[i + 5], m, top);
    }
    return upper_half(t);
}

INLINE number field_product(number a, number b) {
    lanes t[2 * LIMBS];
    multiply(t, a, b);
    return field_divided(t);
}

INLINE number field_square(number a) {
    lanes t[2 * LIMBS];
    square(t, a);
    return field_divided(t);
}

/// Adds `times` p, limb by limb.
INLINE number plus_p(number a, unsigned times) {
    UNROLL
    for (int i = 0; i < LIMBS; i++) a.limb[i] = PLUS(a.limb[i], EACH(field_p[i] * times));
    return a;
}

/// Brings a number of any limbs that is not negative and below 64 p to below 1.01 p.
///
/// Takes p away q times, as often as 2^256 goes into the highest limb: q·p = q·2^256 − q·(2^224 − 2^192 − 2^96 + 1).
/// The other limbs together are below 2^214 either way, so q may be one too few, which leaves less than p + 2^231, or
/// be −1 where the number is about nothing, which leaves about p.
INLINE number field_reduced(number a) {
    const lanes q = _mm512_srai_epi64(a.limb[4], 48);
    a.limb[4] = _mm512_and_epi64(a.limb[4], EACH(0xffffffffffff));
    a.limb[0] = PLUS(a.limb[0], q);
    a.limb[1] = MINUS(a.limb[1], _mm512_slli_epi64(q, 44));
    a.limb[3] = MINUS(a.limb[3], _mm512_slli_epi64(q, 36));
    a.limb[4] = PLUS(a.limb[4], _mm512_slli_epi64(q, 16));
    return carried(a);
}

/// The lanes of a normal number below 2p that are 0 modulo p: it is 0 itself, or p.
INLINE __mmask8 field_is_zero(number a) {
    lanes of_zero = _mm512_setzero_si512(), of_p = of_zero;
    UNROLL
    for (int i = 0; i < LIMBS; i++) {
        of_zero = _mm512_or_epi64(of_zero, a.limb[i]);
        of_p = _mm512_or_epi64(of_p, _mm512_xor_epi64(a.limb[i], EACH(field_p[i])));
    }
    return _mm512_testn_epi64_mask(of_zero, of_zero) | _mm512_testn_epi64_mask(of_p, of_p);
}
