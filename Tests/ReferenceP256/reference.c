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

/// Fills in the key, and r as the x of a sum; false where r is 0.
static _Bool put_points(
    const EC_GROUP *group, const EC_POINT *key, const EC_POINT *sum, BIGNUM *r, cmb_p256_claim *claim, BN_CTX *context
) {
    BN_CTX_start(context);
    BIGNUM *x = BN_CTX_get(context), *y = BN_CTX_get(context);
    EC_POINT_get_affine_coordinates(group, key, x, y, context);
    BN_bn2binpad(x, claim->key, 32);
    BN_bn2binpad(y, claim->key + 32, 32);
    EC_POINT_get_affine_coordinates(group, sum, x, y, context);
    BN_nnmod(r, x, EC_GROUP_get0_order(group), context);
    BN_bn2binpad(r, claim->signature, 32);
    BN_CTX_end(context);
    return !BN_is_zero(r);
}

_Bool reference_make_claim(uint64_t d, const uint8_t *u1, const uint8_t *u2, cmb_p256_claim *claim) {
    EC_GROUP *group = curve();
    BN_CTX *context = BN_CTX_new();
    BN_CTX_start(context);
    const BIGNUM *n = EC_GROUP_get0_order(group);
    BIGNUM *secret = BN_CTX_get(context), *a = BN_CTX_get(context), *b = BN_CTX_get(context);
    BIGNUM *r = BN_CTX_get(context), *s = BN_CTX_get(context);
    EC_POINT *key = EC_POINT_new(group), *sum = EC_POINT_new(group);
    BN_set_word(secret, d);
    BN_nnmod(a, BN_bin2bn(u1, 32, a), n, context);
    BN_nnmod(b, BN_bin2bn(u2, 32, b), n, context);
    EC_POINT_mul(group, key, secret, NULL, NULL, context);
    EC_POINT_mul(group, sum, a, key, b, context);
    const _Bool made = !BN_is_zero(b) && !EC_POINT_is_at_infinity(group, sum)
        && put_points(group, key, sum, r, claim, context);
    if (made) {
        // s = r / u2, e = u1 · s.
        BN_mod_inverse(s, b, n, context);
        BN_mod_mul(s, s, r, n, context);
        BN_mod_mul(a, a, s, n, context);
        BN_bn2binpad(s, claim->signature + 32, 32);
        BN_bn2binpad(a, claim->hash, 32);
    }
    EC_POINT_free(key);
    EC_POINT_free(sum);
    BN_CTX_end(context);
    BN_CTX_free(context);
    EC_GROUP_free(group);
    return made;
}

_Bool reference_make_claim_of_s(uint64_t d, uint64_t k, uint64_t s, cmb_p256_claim *claim) {
    EC_GROUP *group = curve();
    BN_CTX *context = BN_CTX_new();
    BN_CTX_start(context);
    const BIGNUM *n = EC_GROUP_get0_order(group);
    BIGNUM *secret = BN_CTX_get(context), *nonce = BN_CTX_get(context), *factor = BN_CTX_get(context);
    BIGNUM *r = BN_CTX_get(context);
    EC_POINT *key = EC_POINT_new(group), *sum = EC_POINT_new(group);
    BN_set_word(secret, d);
    BN_set_word(nonce, k);
    BN_set_word(factor, s);
    EC_POINT_mul(group, key, secret, NULL, NULL, context);
    EC_POINT_mul(group, sum, nonce, NULL, NULL, context);
    const _Bool made = put_points(group, key, sum, r, claim, context);
    // e = s·k − r·d.
    BN_bn2binpad(factor, claim->signature + 32, 32);
    BN_mod_mul(nonce, nonce, factor, n, context);
    BN_mod_mul(secret, secret, r, n, context);
    BN_mod_sub(nonce, nonce, secret, n, context);
    BN_bn2binpad(nonce, claim->hash, 32);
    EC_POINT_free(key);
    EC_POINT_free(sum);
    BN_CTX_end(context);
    BN_CTX_free(context);
    EC_GROUP_free(group);
    return made;
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
