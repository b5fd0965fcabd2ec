// Points of the curve in Jacobian coordinates: x = X / Z², y = Y / Z³.
//
// The formulas for sums do not hold where both points are the same or each other's negative: Z becomes 0 then, and
// stays so through everything that follows. Whoever reads a result looks at Z first.
#pragma once
#include "field.h"

typedef struct {
    number x, y, z;
} point;

/// Twice a point (dbl-2001-b of the Explicit-Formulas Database, for a = −3). X, Y and Z below 2p.
INLINE point point_doubled(point a) {
    const number delta = field_square(a.z), gamma = field_square(a.y), beta = field_product(a.x, gamma);
    // Both below 4p.
    const number difference = carried(plus_p(minus(a.x, delta), 2)), sum = carried(plus(a.x, delta));
    const number third = field_product(difference, sum);
    const number alpha = field_reduced(plus(doubled(third, 1), third));
    const number four_beta = doubled(beta, 2);
    point r;
    // 8β is below 10p, and so is 8γ².
    r.x = field_reduced(plus_p(minus(field_square(alpha), doubled(four_beta, 1)), 10));
    const number twice_yz = field_square(carried(plus(a.y, a.z)));
    r.z = field_reduced(plus_p(minus(minus(twice_yz, gamma), delta), 3));
    const number rest = field_reduced(plus_p(minus(four_beta, r.x), 2));
    const number eight_gamma_squared = doubled(field_square(gamma), 3);
    r.y = field_reduced(plus_p(minus(field_product(alpha, rest), eight_gamma_squared), 10));
    return r;
}

/// What both kinds of sums end with (Cohen, Miyaji and Ono, 1998): u and s are X and Y for one Z, which is `z`, the
/// product of both.
INLINE point point_joined(number u1, number s1, number u2, number s2, number z) {
    const number h = field_reduced(plus_p(minus(u2, u1), 2)), r = field_reduced(plus_p(minus(s2, s1), 2));
    const number h2 = field_square(h), h3 = field_product(h, h2), v = field_product(u1, h2);
    point sum;
    sum.x = field_reduced(plus_p(minus(minus(field_square(r), h3), doubled(v, 1)), 6));
    const number rest = field_reduced(plus_p(minus(v, sum.x), 2));
    sum.y = field_reduced(plus_p(minus(field_product(r, rest), field_product(s1, h3)), 2));
    sum.z = field_product(z, h);
    return sum;
}

INLINE point point_sum(point a, point b) {
    const number a2 = field_square(a.z), b2 = field_square(b.z);
    return point_joined(
        field_product(a.x, b2), field_product(field_product(a.y, b.z), b2),
        field_product(b.x, a2), field_product(field_product(b.y, a.z), a2), field_product(a.z, b.z));
}

/// The sum with a point whose Z is 1.
INLINE point point_sum_affine(point a, number x, number y) {
    const number a2 = field_square(a.z);
    return point_joined(a.x, a.y, field_product(x, a2), field_product(field_product(y, a.z), a2), a.z);
}

/// The negative of a point's y in the lanes of a mask: 2p − y, which may be 2p itself.
INLINE number point_negated(__mmask8 mask, number y) {
    UNROLL
    for (int i = 0; i < LIMBS; i++) {
        y.limb[i] = _mm512_mask_sub_epi64(y.limb[i], mask, EACH(field_p[i] * 2), y.limb[i]);
    }
    return carried(y);
}

INLINE point point_chosen(__mmask8 mask, point a, point b) {
    a.x = chosen(mask, a.x, b.x);
    a.y = chosen(mask, a.y, b.y);
    a.z = chosen(mask, a.z, b.z);
    return a;
}
