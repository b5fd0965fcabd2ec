#include "ReferenceP256.h"

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

// As CMultiBufferP256 cuts its factors: signed digits of 5 bits for the key and of 8 for the base point.
enum { KEY_WIDTH = 5, KEY_DIGITS = 52, BASE_WIDTH = 8, BASE_DIGITS = 33 };

/// Digit `index` of a number: its own bits and the highest one below them, with a sign (Booth, 1951).
static int digit(const BIGNUM *u, int width, int index) {
    int bits = 0;
    for (int i = width; i >= 0; i--) {
        const int at = index * width + i - 1;
        bits = bits << 1 | (at >= 0 && BN_is_bit_set(u, at));
    }
    return ((bits + 1) >> 1) - (bits >> width << width);
}

static void add_small(BIGNUM *sum, int digit) {
    if (digit < 0) BN_sub_word(sum, (BN_ULONG)-digit);
    else BN_add_word(sum, (BN_ULONG)digit);
}

/// The private key with which sum + d · of_key meets `sign` times its addend, a digit of one of the two; false if none does.
static _Bool solve(BIGNUM *d, const BIGNUM *sum, const BIGNUM *of_key, int key_digit, int base_digit, int sign,
                   const BIGNUM *n, BN_CTX *context) {
    BIGNUM *left = BN_dup(of_key), *right = BN_dup(sum);
    add_small(left, -sign * key_digit);
    add_small(right, -sign * base_digit);
    BN_set_negative(right, !BN_is_negative(right));
    BN_nnmod(left, left, n, context);
    BN_nnmod(right, right, n, context);
    const _Bool found = !BN_is_zero(left) && !BN_is_zero(right);
    if (found) {
        BN_mod_inverse(left, left, n, context);
        BN_mod_mul(d, left, right, n, context);
    }
    BN_free(left);
    BN_free(right);
    return found;
}

/// Goes through the sum as the lanes do, and makes the addition number `step` the one that meets the exception.
static _Bool find_key(BIGNUM *d, const BIGNUM *u1, const BIGNUM *u2, int step, int sign, const BIGNUM *n, BN_CTX *context) {
    BIGNUM *sum = BN_new(), *of_key = BN_new();
    _Bool found = 0, begun = 0;
    for (int bit = BASE_WIDTH * BASE_DIGITS; bit >= 0 && !found; bit--) {
        BN_lshift1(sum, sum);
        BN_lshift1(of_key, of_key);
        for (int of_base = 0; of_base < 2 && !found; of_base++) {
            const int width = of_base ? BASE_WIDTH : KEY_WIDTH, count = of_base ? BASE_DIGITS : KEY_DIGITS;
            if (bit % width != 0 || bit / width >= count) continue;
            const int addend = digit(of_base ? u1 : u2, width, bit / width);
            if (addend == 0) continue;
            if (begun && step-- <= 0) {
                found = solve(d, sum, of_key, of_base ? 0 : addend, of_base ? addend : 0, sign, n, context);
            }
            add_small(of_base ? sum : of_key, addend);
            begun = 1;
        }
    }
    BN_free(sum);
    BN_free(of_key);
    return found;
}

/// Puts down the key d·G and, with s = r / u2 and e = u1 · s, what is left of the claim; r is that of the sum if it is 0.
static _Bool put(EC_GROUP *group, const BIGNUM *d, const BIGNUM *u1, const BIGNUM *u2, BIGNUM *r, cmb_p256_claim *claim,
                 BN_CTX *context) {
    const BIGNUM *n = EC_GROUP_get0_order(group);
    EC_POINT *key = EC_POINT_new(group), *sum = EC_POINT_new(group);
    BIGNUM *x = BN_new(), *y = BN_new();
    EC_POINT_mul(group, key, d, NULL, NULL, context);
    EC_POINT_get_affine_coordinates(group, key, x, y, context);
    BN_bn2binpad(x, claim->key, 32);
    BN_bn2binpad(y, claim->key + 32, 32);
    EC_POINT_mul(group, sum, u1, key, u2, context);
    if (BN_is_zero(r) && !EC_POINT_is_at_infinity(group, sum)) {
        EC_POINT_get_affine_coordinates(group, sum, x, NULL, context);
        BN_nnmod(r, x, n, context);
    }
    BN_mod_inverse(x, u2, n, context);
    BN_mod_mul(x, x, r, n, context);
    BN_mod_mul(y, u1, x, n, context);
    BN_bn2binpad(r, claim->signature, 32);
    BN_bn2binpad(x, claim->signature + 32, 32);
    BN_bn2binpad(y, claim->hash, 32);
    EC_POINT_free(key);
    EC_POINT_free(sum);
    BN_free(x);
    BN_free(y);
    return !BN_is_zero(r);
}

_Bool reference_make_exceptional_claim(const uint8_t *u1, const uint8_t *u2, int step, _Bool negative, uint64_t r,
                                       cmb_p256_claim *claim) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BN_CTX *context = BN_CTX_new();
    const BIGNUM *n = EC_GROUP_get0_order(group);
    BIGNUM *of_base = BN_bin2bn(u1, 32, NULL), *of_key = BN_bin2bn(u2, 32, NULL), *d = BN_new(), *named = BN_new();
    BN_nnmod(of_base, of_base, n, context);
    BN_nnmod(of_key, of_key, n, context);
    BN_set_word(named, r);
    const _Bool made = !BN_is_zero(of_key)
        && find_key(d, of_base, of_key, step, negative ? -1 : 1, n, context)
        && put(group, d, of_base, of_key, named, claim, context);
    BN_free(of_base);
    BN_free(of_key);
    BN_free(d);
    BN_free(named);
    BN_CTX_free(context);
    EC_GROUP_free(group);
    return made;
}
