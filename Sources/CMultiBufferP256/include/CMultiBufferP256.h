// ECDSA verification on P-256 (FIPS 186-5, 6.4.2; SP 800-186, 3.2.1.3) for eight signatures side by side.
//
// All of it is public: nothing here is done in constant time, and no secret may ever come near it.
#pragma once
#include <CProcessor.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /// Signatures side by side, one in each 64-bit element of the AVX-512 registers.
    CMB_P256_LANES = 8,
    /// The multiples of the base point that are kept at hand: 1 to 128 times.
    CMB_P256_MULTIPLES = 128,
};

/// That a key signed a hash. All numbers are 32 bytes, the most significant first.
typedef struct {
    /// x and y of a point that is known to be on the curve.
    uint8_t key[64];
    /// r and s.
    uint8_t signature[64];
    uint8_t hash[32];
} cmb_p256_claim;

/// A point as the table has it: x, then y, times 2^260 modulo p, each as four words with the least first.
typedef struct {
    uint64_t words[8];
} cmb_p256_multiple;

/// Whether this processor can run the functions below; nothing else may be called before it says so.
_Bool cmb_p256_is_available(processor_features has);

/// Makes the table from x and y of 1·G, 2·G, … as a claim has them, 64 bytes each.
void cmb_p256_make_table(const uint8_t *_Nonnull points, cmb_p256_multiple *_Nonnull table);

/// The claims that hold: bit i is set if the signature of claim i is valid for its key and hash.
///
/// A bit that is not set says nothing: a sum of points that runs into a case its formulas do not have is given up, and
/// so is an x above the order. Neither happens to a signature but by design. `count` is 1 to 8.
uint32_t cmb_p256_proven(const cmb_p256_multiple *_Nonnull table, const cmb_p256_claim *_Nonnull claims, size_t count);

/// What the arithmetic is made of, for tests: each lane's operands and result are five limbs of 52 bits, limb 0 of
/// every lane first. A product is a·b / 2^260.
typedef enum {
    CMB_P256_FIELD_PRODUCT,
    CMB_P256_FIELD_SQUARE,
    CMB_P256_FIELD_REDUCTION,
    CMB_P256_ORDER_PRODUCT,
    CMB_P256_ORDER_SQUARE,
} cmb_p256_operation;

/// Does one operation; those with one operand look at `a` only.
void cmb_p256_operate(cmb_p256_operation operation, const uint64_t *_Nonnull a, const uint64_t *_Nonnull b,
                      uint64_t *_Nonnull result);
