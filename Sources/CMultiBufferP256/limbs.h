// Numbers of 260 bits in five limbs of 52, eight numbers side by side: limb i of all of them is one register.
//
// IFMA multiplies the low 52 bits of each element and adds either half of the product to an element of 64. A number
// that is multiplied has to be normal: each limb below 2^52. Between, limbs may be any signed number below 2^57.
#pragma once
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512ifma")))
// A build for debugging would put every copy's registers into one frame of half a megabyte.
#if defined(DEBUG)
#define INLINE static inline TARGET
#else
#define INLINE static inline TARGET __attribute__((always_inline))
#endif
// A loop over registers has to be straight code, or the registers become memory.
#define UNROLL _Pragma("clang loop unroll(full)")

enum { LIMBS = 5 };

typedef __m512i lanes;
typedef struct {
    lanes limb[LIMBS];
} number;

#define EACH(x) _mm512_set1_epi64((long long)(x))
#define LIMB_MASK EACH(0xfffffffffffff)
#define PLUS _mm512_add_epi64
#define MINUS _mm512_sub_epi64
#define ADD_LOW _mm512_madd52lo_epu64
#define ADD_HIGH _mm512_madd52hi_epu64

INLINE number constant(const uint64_t limbs[LIMBS]) {
    number r;
    UNROLL
    for (int i = 0; i < LIMBS; i++) r.limb[i] = EACH(limbs[i]);
    return r;
}

// Limb by limb, with nothing carried.
INLINE number plus(number a, number b) {
    UNROLL
    for (int i = 0; i < LIMBS; i++) a.limb[i] = PLUS(a.limb[i], b.limb[i]);
    return a;
}

INLINE number minus(number a, number b) {
    UNROLL
    for (int i = 0; i < LIMBS; i++) a.limb[i] = MINUS(a.limb[i], b.limb[i]);
    return a;
}

INLINE number doubled(number a, unsigned times) {
    UNROLL
    for (int i = 0; i < LIMBS; i++) a.limb[i] = _mm512_slli_epi64(a.limb[i], times);
    return a;
}

/// Makes a number normal that is not negative and below 2^260; the shift keeps a limb's sign.
INLINE number carried(number a) {
    UNROLL
    for (int i = 0; i < LIMBS - 1; i++) {
        a.limb[i + 1] = PLUS(a.limb[i + 1], _mm512_srai_epi64(a.limb[i], 52));
        a.limb[i] = _mm512_and_epi64(a.limb[i], LIMB_MASK);
    }
    return a;
}

/// Takes `b` in the lanes of a mask, and `a` in the others.
INLINE number chosen(__mmask8 mask, number a, number b) {
    UNROLL
    for (int i = 0; i < LIMBS; i++) a.limb[i] = _mm512_mask_mov_epi64(a.limb[i], mask, b.limb[i]);
    return a;
}

INLINE void clear(lanes t[2 * LIMBS]) {
    UNROLL
    for (int i = 0; i < 2 * LIMBS; i++) t[i] = _mm512_setzero_si512();
}

INLINE void add_to(lanes t[2 * LIMBS], const lanes more[2 * LIMBS]) {
    UNROLL
    for (int i = 0; i < 2 * LIMBS; i++) t[i] = PLUS(t[i], more[i]);
}

/// What is left of a product whose lower half was cleared.
INLINE number upper_half(const lanes t[2 * LIMBS]) {
    number r;
    UNROLL
    for (int i = 0; i < LIMBS; i++) r.limb[i] = t[LIMBS + i];
    return carried(r);
}

/// The product of two normal numbers in ten limbs, each below 10 · 2^52: two chains of sums, so that neither waits.
INLINE void multiply(lanes t[2 * LIMBS], number a, number b) {
    lanes high[2 * LIMBS];
    clear(t);
    clear(high);
    UNROLL
    for (int i = 0; i < LIMBS; i++) {
        UNROLL
        for (int j = 0; j < LIMBS; j++) {
            t[i + j] = ADD_LOW(t[i + j], a.limb[i], b.limb[j]);
            high[i + j + 1] = ADD_HIGH(high[i + j + 1], a.limb[i], b.limb[j]);
        }
    }
    add_to(t, high);
}

/// The same for a number and itself, with every product of two limbs taken once.
INLINE void square(lanes t[2 * LIMBS], number a) {
    lanes high[2 * LIMBS];
    clear(t);
    clear(high);
    UNROLL
    for (int i = 0; i < LIMBS; i++) {
        UNROLL
        for (int j = i + 1; j < LIMBS; j++) {
            t[i + j] = ADD_LOW(t[i + j], a.limb[i], a.limb[j]);
            high[i + j + 1] = ADD_HIGH(high[i + j + 1], a.limb[i], a.limb[j]);
        }
    }
    add_to(t, high);
    add_to(t, t);
    UNROLL
    for (int i = 0; i < LIMBS; i++) {
        t[2 * i] = ADD_LOW(t[2 * i], a.limb[i], a.limb[i]);
        t[2 * i + 1] = ADD_HIGH(t[2 * i + 1], a.limb[i], a.limb[i]);
    }
}

/// Numbers below 2^256 from four words each, the least first.
INLINE number from_words(const lanes w[4]) {
    number r;
    r.limb[0] = w[0];
    UNROLL
    for (int i = 1; i < 4; i++) {
        r.limb[i] = _mm512_or_epi64(_mm512_srli_epi64(w[i - 1], 64 - 12 * i), _mm512_slli_epi64(w[i], 12 * i));
    }
    r.limb[4] = _mm512_srli_epi64(w[3], 16);
    UNROLL
    for (int i = 0; i < 4; i++) r.limb[i] = _mm512_and_epi64(r.limb[i], LIMB_MASK);
    return r;
}
