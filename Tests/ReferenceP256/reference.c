#include "ReferenceP256.h"

// The functions on an EC_KEY are marked as superseded by EVP, which takes no bare hash and point.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/obj_mac.h>

static EC_GROUP *curve(void) {
    return EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
}

_Bool reference_is_valid(const cmb_p256_claim *claim) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *x = BN_bin2bn(claim->key, 32, NULL), *y = BN_bin2bn(claim->key + 32, 32, NULL);
    ECDSA_SIG *signature = ECDSA_SIG_new();
    ECDSA_SIG_set0(signature, BN_bin2bn(claim->signature, 32, NULL), BN_bin2bn(claim->signature + 32, 32, NULL));
    const _Bool valid = EC_KEY_set_public_key_affine_coordinates(key, x, y) == 1
        && ECDSA_do_verify(claim->hash, 32, signature, key) == 1;
    ECDSA_SIG_free(signature);
    BN_free(x);
    BN_free(y);
    EC_KEY_free(key);
    return valid;
}

/// What making a claim takes.
typedef struct {
    EC_GROUP *group;
    BN_CTX *context;
    const BIGNUM *n;
    EC_POINT *key, *sum;
    BIGNUM *u1, *u2, *x, *r, *s;
} making;

static making begin(void) {
    making m = {.group = curve(), .context = BN_CTX_new()};
    BN_CTX_start(m.context);
    m.n = EC_GROUP_get0_order(m.group);
    m.key = EC_POINT_new(m.group);
    m.sum = EC_POINT_new(m.group);
    m.u1 = BN_CTX_get(m.context);
    m.u2 = BN_CTX_get(m.context);
    m.x = BN_CTX_get(m.context);
    m.r = BN_CTX_get(m.context);
    m.s = BN_CTX_get(m.context);
    return m;
}

static _Bool end(making m, _Bool made) {
    EC_POINT_free(m.key);
    EC_POINT_free(m.sum);
    BN_CTX_end(m.context);
    BN_CTX_free(m.context);
    EC_GROUP_free(m.group);
    return made;
}

/// Reads u1 and u2, and makes `d`·G the key.
static void set_factors(making m, uint64_t d, const uint8_t *u1, const uint8_t *u2) {
    BN_nnmod(m.u1, BN_bin2bn(u1, 32, m.u1), m.n, m.context);
    BN_nnmod(m.u2, BN_bin2bn(u2, 32, m.u2), m.n, m.context);
    BN_set_word(m.x, d);
    EC_POINT_mul(m.group, m.key, m.x, NULL, NULL, m.context);
}

static _Bool put_key(making m, cmb_p256_claim *claim) {
    if (EC_POINT_is_at_infinity(m.group, m.key)) return 0;
    EC_POINT_get_affine_coordinates(m.group, m.key, m.x, m.s, m.context);
    BN_bn2binpad(m.x, claim->key, 32);
    BN_bn2binpad(m.s, claim->key + 32, 32);
    return 1;
}

/// Puts a claim together from the key, u1, u2 and r: s = r / u2, e = u1 · s.
static _Bool put(making m, cmb_p256_claim *claim) {
    if (BN_is_zero(m.u2) || BN_is_zero(m.r) || !put_key(m, claim)) return 0;
    BN_mod_inverse(m.s, m.u2, m.n, m.context);
    BN_mod_mul(m.s, m.s, m.r, m.n, m.context);
    BN_mod_mul(m.x, m.u1, m.s, m.n, m.context);
    BN_bn2binpad(m.r, claim->signature, 32);
    BN_bn2binpad(m.s, claim->signature + 32, 32);
    BN_bn2binpad(m.x, claim->hash, 32);
    return !BN_is_zero(m.s);
}

_Bool reference_make_claim(uint64_t d, const uint8_t *u1, const uint8_t *u2, cmb_p256_claim *claim) {
    making m = begin();
    set_factors(m, d, u1, u2);
    EC_POINT_mul(m.group, m.sum, m.u1, m.key, m.u2, m.context);
    if (EC_POINT_is_at_infinity(m.group, m.sum)) return end(m, 0);
    EC_POINT_get_affine_coordinates(m.group, m.sum, m.x, NULL, m.context);
    BN_nnmod(m.r, m.x, m.n, m.context);
    return end(m, put(m, claim));
}

_Bool reference_make_false_claim(uint64_t d, const uint8_t *u1, const uint8_t *u2, uint64_t r, cmb_p256_claim *claim) {
    making m = begin();
    set_factors(m, d, u1, u2);
    BN_set_word(m.r, r);
    return end(m, put(m, claim));
}

_Bool reference_make_claim_of_x(
    const uint8_t *x, const uint8_t *u1, const uint8_t *u2, _Bool reduces, cmb_p256_claim *claim
) {
    making m = begin();
    set_factors(m, 1, u1, u2);
    BN_bin2bn(x, 32, m.r);
    while (EC_POINT_set_compressed_coordinates(m.group, m.sum, m.r, 0, m.context) != 1) BN_add_word(m.r, 1);
    // Q = (R − u1·G) / u2.
    if (BN_is_zero(m.u2)) return end(m, 0);
    BN_mod_inverse(m.s, m.u2, m.n, m.context);
    EC_POINT_mul(m.group, m.key, m.u1, NULL, NULL, m.context);
    EC_POINT_invert(m.group, m.key, m.context);
    EC_POINT_add(m.group, m.key, m.key, m.sum, m.context);
    EC_POINT_mul(m.group, m.key, NULL, m.key, m.s, m.context);
    if (reduces) BN_nnmod(m.r, m.r, m.n, m.context);
    return end(m, put(m, claim));
}

_Bool reference_make_claim_of_s(uint64_t d, uint64_t k, uint64_t s, cmb_p256_claim *claim) {
    making m = begin();
    BN_set_word(m.u1, d);
    BN_set_word(m.u2, k);
    EC_POINT_mul(m.group, m.key, m.u1, NULL, NULL, m.context);
    EC_POINT_mul(m.group, m.sum, m.u2, NULL, NULL, m.context);
    if (!put_key(m, claim)) return end(m, 0);
    EC_POINT_get_affine_coordinates(m.group, m.sum, m.x, NULL, m.context);
    BN_nnmod(m.r, m.x, m.n, m.context);
    BN_set_word(m.s, s);
    BN_bn2binpad(m.r, claim->signature, 32);
    BN_bn2binpad(m.s, claim->signature + 32, 32);
    // e = s·k − r·d.
    BN_mod_mul(m.u2, m.u2, m.s, m.n, m.context);
    BN_mod_mul(m.u1, m.u1, m.r, m.n, m.context);
    BN_mod_sub(m.x, m.u2, m.u1, m.n, m.context);
    BN_bn2binpad(m.x, claim->hash, 32);
    return end(m, !BN_is_zero(m.r));
}

/// Σ limb[i] · 2^(52·i), of limbs with a sign.
static void read_limbs(BIGNUM *value, const uint64_t limbs[5], BN_CTX *context) {
    BN_CTX_start(context);
    BIGNUM *limb = BN_CTX_get(context);
    BN_zero(value);
    for (int i = 4; i >= 0; i--) {
        const int64_t signed_limb = (int64_t)limbs[i];
        BN_lshift(value, value, 52);
        BN_set_word(limb, signed_limb < 0 ? -(uint64_t)signed_limb : (uint64_t)signed_limb);
        BN_set_negative(limb, signed_limb < 0);
        BN_add(value, value, limb);
    }
    BN_CTX_end(context);
}

_Bool reference_is_right(cmb_p256_operation operation, const uint64_t *a, const uint64_t *b, const uint64_t *result) {
    EC_GROUP *group = curve();
    BN_CTX *context = BN_CTX_new();
    BN_CTX_start(context);
    BIGNUM *left = BN_CTX_get(context), *right = BN_CTX_get(context), *found = BN_CTX_get(context);
    BIGNUM *wanted = BN_CTX_get(context), *bound = BN_CTX_get(context), *difference = BN_CTX_get(context);
    const _Bool of_order = operation == CMB_P256_ORDER_PRODUCT || operation == CMB_P256_ORDER_SQUARE;
    const _Bool squares = operation == CMB_P256_FIELD_SQUARE || operation == CMB_P256_ORDER_SQUARE;
    const BIGNUM *modulus = of_order ? EC_GROUP_get0_order(group) : EC_GROUP_get0_field(group);
    read_limbs(left, a, context);
    read_limbs(right, squares ? a : b, context);
    read_limbs(found, result, context);
    if (operation == CMB_P256_FIELD_REDUCTION) {
        BN_copy(wanted, left);
        // Less than p + 2^231.
        BN_set_word(bound, 1);
        BN_lshift(bound, bound, 231);
        BN_add(bound, bound, modulus);
    } else {
        // found · 2^260 is the product, and found below a·b / 2^260 + the modulus.
        BN_mul(wanted, left, right, context);
        BN_rshift(bound, wanted, 260);
        BN_add(bound, bound, modulus);
        BN_add_word(bound, 1);
    }
    BN_copy(difference, found);
    if (operation != CMB_P256_FIELD_REDUCTION) BN_lshift(difference, difference, 260);
    BN_sub(difference, difference, wanted);
    BN_nnmod(difference, difference, modulus, context);
    _Bool right_one = BN_is_zero(difference) && !BN_is_negative(found) && BN_cmp(found, bound) < 0;
    for (int i = 0; i < 5; i++) right_one = right_one && result[i] >> 52 == 0;
    BN_CTX_end(context);
    BN_CTX_free(context);
    EC_GROUP_free(group);
    return right_one;
}
