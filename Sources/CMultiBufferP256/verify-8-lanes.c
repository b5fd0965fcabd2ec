#include "CMultiBufferP256.h"

#if defined(__x86_64__)
#include "order.h"
#include "sum.h"

TARGET void cmb_p256_make_table(const uint8_t *points, cmb_p256_multiple *table) {
    const number factor = constant(field_one_squared);
    for (int k = 0; k < CMB_P256_MULTIPLES; k += 8) {
        for (int half = 0; half < 2; half++) {
            // Below 1.01 p, which is 2^256 or more for a few numbers: those are taken down to below p.
            number a = field_reduced(field_product(read_numbers(points + 64 * k + 32 * half, 64), factor));
            const number less = carried(minus(a, constant(field_p)));
            a = chosen((__mmask8)~_mm512_movepi64_mask(less.limb[4]), a, less);
            uint64_t l[LIMBS][8];
            for (int i = 0; i < LIMBS; i++) _mm512_storeu_si512(l[i], a.limb[i]);
            for (int lane = 0; lane < 8; lane++) {
                uint64_t *words = table[k + lane].words + 4 * half;
                for (int i = 0; i < 4; i++) words[i] = l[i][lane] >> 12 * i | l[i + 1][lane] << (52 - 12 * i);
            }
        }
    }
}

/// Step 1: r and s are from 1 to n − 1.
static _Bool is_in_range(const uint8_t number[32]) {
    static const uint8_t zero[32] = {0};
    return memcmp(number, zero, 32) != 0 && memcmp(number, order_bytes, 32) < 0;
}

TARGET uint32_t cmb_p256_proven(const cmb_p256_multiple *table, const cmb_p256_claim *claims, size_t count) {
    // Lanes without a claim of their own repeat the first.
    cmb_p256_claim lane[CMB_P256_LANES];
    uint32_t asked = 0;
    for (size_t i = 0; i < CMB_P256_LANES; i++) {
        lane[i] = claims[i < count ? i : 0];
        const _Bool fits = is_in_range(lane[i].signature) && is_in_range(lane[i].signature + 32);
        if (i < count && fits) asked |= 1u << i;
    }
    // Steps 3 to 6: 1/s, then u1 and u2. The inverse comes times 2^260, which the products take away.
    const number e = read_field(lane, offsetof(cmb_p256_claim, hash));
    const number r = read_field(lane, offsetof(cmb_p256_claim, signature));
    const number s = read_field(lane, offsetof(cmb_p256_claim, signature) + 32);
    const number inverse = order_inverse(order_product(s, constant(order_one_squared)));
    const sum R = sum_of_multiples(table, lane, order_product(e, inverse), order_product(r, inverse));
    // Steps 7 and 8 without a division: x = X / Z² is r. It could also be r + n, of two numbers in 2^128.
    const number x = field_product(field_product(r, constant(field_one_squared)), field_square(R.value.z));
    const __mmask8 equal = field_is_zero(field_reduced(plus_p(minus(x, R.value.x), 2)));
    return asked & R.begun & equal & (uint32_t)~field_is_zero(R.value.z);
}

_Bool cmb_p256_is_available(processor_features has) {
    return has.avx2 && has.avx512_ifma;
}

TARGET void cmb_p256_operate(cmb_p256_operation operation, const uint64_t *a, const uint64_t *b, uint64_t *result) {
    number x, y, r;
    for (int i = 0; i < LIMBS; i++) {
        x.limb[i] = _mm512_loadu_si512(a + 8 * i);
        y.limb[i] = _mm512_loadu_si512(b + 8 * i);
    }
    switch (operation) {
        case CMB_P256_FIELD_PRODUCT: r = field_product(x, y); break;
        case CMB_P256_FIELD_SQUARE: r = field_square(x); break;
        case CMB_P256_FIELD_REDUCTION: r = field_reduced(x); break;
        case CMB_P256_ORDER_PRODUCT: r = order_product(x, y); break;
        case CMB_P256_ORDER_SQUARE: r = order_square(x); break;
    }
    for (int i = 0; i < LIMBS; i++) _mm512_storeu_si512(result + 8 * i, r.limb[i]);
}

#else

// Other processors verify one signature at a time.
_Bool cmb_p256_is_available(processor_features has) {
    (void)has;
    return 0;
}

void cmb_p256_make_table(const uint8_t *points, cmb_p256_multiple *table) {
    (void)points;
    (void)table;
}

uint32_t cmb_p256_proven(const cmb_p256_multiple *table, const cmb_p256_claim *claims, size_t count) {
    (void)table;
    (void)claims;
    (void)count;
    return 0;
}

void cmb_p256_operate(cmb_p256_operation operation, const uint64_t *a, const uint64_t *b, uint64_t *result) {
    (void)operation;
    (void)a;
    (void)b;
    (void)result;
}

#endif
