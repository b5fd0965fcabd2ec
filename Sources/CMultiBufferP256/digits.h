// Scalars as signed digits (Booth, 1951): u = Σ d[i]·2^(width·i) with |d[i]| up to 2^(width − 1).
#pragma once
#include "limbs.h"

enum {
    KEY_WIDTH = 5,
    KEY_DIGITS = 52,
    KEY_MULTIPLES = 16,
    BASE_WIDTH = 8,
    BASE_DIGITS = 33,
};

/// The digits of each lane's number, which is normal and below 2^257: `digits[i]` has digit i of every lane.
///
/// A digit is read from its own bits and the highest one below them. The last one reaches beyond the number, so that
/// nothing is carried out of it.
static TARGET void digits_of(number u, int width, int count, int64_t (*digits)[8]) {
    uint64_t limb[LIMBS][8];
    for (int i = 0; i < LIMBS; i++) _mm512_storeu_si512(limb[i], u.limb[i]);
    for (int lane = 0; lane < 8; lane++) {
        uint64_t l[LIMBS];
        for (int i = 0; i < LIMBS; i++) l[i] = limb[i][lane];
        // Twice the number, so that what is below its lowest bit is a bit as well, and a word beyond.
        const uint64_t words[6] = {
            l[0] << 1 | l[1] << 53, l[1] >> 11 | l[2] << 41, l[2] >> 23 | l[3] << 29, l[3] >> 35 | l[4] << 17,
            l[4] >> 47, 0,
        };
        for (int i = 0; i < count; i++) {
            const int at = i * width % 64;
            const uint64_t *word = words + i * width / 64;
            const uint64_t from = word[0] >> at | (at ? word[1] << (64 - at) : 0);
            const int64_t bits = (int64_t)(from & ((2ull << width) - 1));
            digits[i][lane] = ((bits + 1) >> 1) - (bits >> width << width);
        }
    }
}
