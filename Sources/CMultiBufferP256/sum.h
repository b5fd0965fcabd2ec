// Sums of multiples: of the base point by a table that is made once, of the keys by one for each eight claims.
#pragma once
#include <string.h>

#include "CMultiBufferP256.h"
#include "digits.h"
#include "point.h"

static uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return __builtin_bswap64(word);
}

/// One number of 32 bytes for each lane, at `bytes`, `bytes + step`, …
static TARGET number read_numbers(const uint8_t *bytes, size_t step) {
    uint64_t words[4][8];
    for (int lane = 0; lane < 8; lane++) {
        for (int i = 0; i < 4; i++) words[i][lane] = word_at(bytes + lane * step + 24 - 8 * i);
    }
    lanes w[4];
    for (int i = 0; i < 4; i++) w[i] = _mm512_loadu_si512(words[i]);
    return from_words(w);
}

/// One number of each of eight claims.
static TARGET number read_field(const cmb_p256_claim *claims, size_t offset) {
    return read_numbers((const uint8_t *)claims + offset, sizeof *claims);
}

/// 1 to 16 times the keys' points. All differ from each other and their negatives, as their order is a large prime.
static TARGET void make_key_table(const cmb_p256_claim *claims, point multiples[KEY_MULTIPLES]) {
    const number factor = constant(field_one_squared);
    const point key = {
        field_product(read_field(claims, offsetof(cmb_p256_claim, key)), factor),
        field_product(read_field(claims, offsetof(cmb_p256_claim, key) + 32), factor),
        constant(field_one),
    };
    multiples[0] = key;
    for (int k = 2; k <= KEY_MULTIPLES; k++) {
        multiples[k - 1] =
            k % 2 ? point_sum_affine(multiples[k - 2], key.x, key.y) : point_doubled(multiples[k / 2 - 1]);
    }
}

/// A sum of points, which is still none at all in the lanes that are not begun.
typedef struct {
    point value;
    __mmask8 begun;
} sum;

INLINE void take(sum *s, __mmask8 lanes_of_digit, point addend, point together) {
    const __mmask8 more = lanes_of_digit & s->begun, first = lanes_of_digit & (__mmask8)~s->begun;
    s->value = point_chosen(first, point_chosen(more, s->value, together), addend);
    s->begun |= lanes_of_digit;
}

static TARGET void double_sum(sum *s, int times) {
    point a = s->value;
    for (int i = 0; i < times; i++) a = point_doubled(a);
    s->value = a;
}

/// Adds a digit's multiple of each key. Going through all sixteen is faster than eight addresses.
static TARGET void add_of_key(sum *s, const point multiples[KEY_MULTIPLES], const int64_t digits[8]) {
    const lanes digit = _mm512_loadu_si512(digits), times = _mm512_abs_epi64(digit);
    point addend = multiples[0];
    for (int k = 2; k <= KEY_MULTIPLES; k++) {
        addend = point_chosen(_mm512_cmpeq_epi64_mask(times, EACH(k)), addend, multiples[k - 1]);
    }
    addend.y = point_negated(_mm512_movepi64_mask(digit), addend.y);
    take(s, _mm512_test_epi64_mask(digit, digit), addend, point_sum(s->value, addend));
}

/// Turns eight registers of eight words into one for each word.
INLINE void transpose(lanes r[8]) {
    lanes t[8], u[8];
    UNROLL
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    // Quarters 0 and 2, then 1 and 3, of the rows 0 to 3 and 4 to 7.
    UNROLL
    for (int i = 0; i < 2; i++) {
        u[i] = _mm512_shuffle_i64x2(t[i], t[2 + i], 0x88);
        u[2 + i] = _mm512_shuffle_i64x2(t[i], t[2 + i], 0xdd);
        u[4 + i] = _mm512_shuffle_i64x2(t[4 + i], t[6 + i], 0x88);
        u[6 + i] = _mm512_shuffle_i64x2(t[4 + i], t[6 + i], 0xdd);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_shuffle_i64x2(u[i], u[4 + i], 0x88);
        r[4 + i] = _mm512_shuffle_i64x2(u[i], u[4 + i], 0xdd);
    }
}

/// Adds a digit's multiple of the base point: a row of the table for each lane.
static TARGET void add_of_base(sum *s, const cmb_p256_multiple *table, const int64_t digits[8]) {
    const lanes digit = _mm512_loadu_si512(digits);
    lanes words[8];
    UNROLL
    for (int lane = 0; lane < 8; lane++) {
        const int64_t times = digits[lane] < 0 ? -digits[lane] : digits[lane];
        words[lane] = _mm512_loadu_si512(table[times ? times - 1 : 0].words);
    }
    transpose(words);
    const number y = point_negated(_mm512_movepi64_mask(digit), from_words(words + 4));
    const point addend = {from_words(words), y, constant(field_one)};
    take(s, _mm512_test_epi64_mask(digit, digit), addend, point_sum_affine(s->value, addend.x, addend.y));
}

/// u1 times the base point and u2 times each key, with one chain of doublings for both (Straus, 1964).
static TARGET sum sum_of_multiples(const cmb_p256_multiple *table, const cmb_p256_claim *claims, number u1, number u2) {
    int64_t of_base[BASE_DIGITS][8], of_key[KEY_DIGITS][8];
    digits_of(u1, BASE_WIDTH, BASE_DIGITS, of_base);
    digits_of(u2, KEY_WIDTH, KEY_DIGITS, of_key);
    point multiples[KEY_MULTIPLES];
    make_key_table(claims, multiples);
    sum s = {multiples[0], 0};
    int doublings = 0;
    for (int bit = BASE_WIDTH * (BASE_DIGITS - 1); bit >= 0; bit--, doublings++) {
        const _Bool has_key = bit % KEY_WIDTH == 0 && bit / KEY_WIDTH < KEY_DIGITS, has_base = bit % BASE_WIDTH == 0;
        if (!has_key && !has_base) continue;
        if (s.begun) double_sum(&s, doublings);
        doublings = 0;
        if (has_key) add_of_key(&s, multiples, of_key[bit / KEY_WIDTH]);
        if (has_base) add_of_base(&s, table, of_base[bit / BASE_WIDTH]);
    }
    return s;
}
