// What CMultiBufferP256 is held against: the same with libcrypto's numbers and points, slow and of another hand.
#pragma once
#include <CMultiBufferP256.h>

/// Whether libcrypto calls the signature valid.
_Bool reference_is_valid(const cmb_p256_claim *_Nonnull claim);

/// Makes a claim by the key `d`·G that holds, and whose verification comes to u1·G + u2·(d·G): without a private
/// key one may choose both, though not the hash. False where there is none, as the sum is nothing or r or s is 0.
_Bool reference_make_claim(uint64_t d, const uint8_t *_Nonnull u1, const uint8_t *_Nonnull u2,
                           cmb_p256_claim *_Nonnull claim);

/// Makes a claim by the key `d`·G that holds, of a signature made with the nonce `k` and with this s.
_Bool reference_make_claim_of_s(uint64_t d, uint64_t k, uint64_t s, cmb_p256_claim *_Nonnull claim);

/// Whether an operation's result is what it should be and as small as it should be, for the numbers of one lane.
_Bool reference_is_right(cmb_p256_operation operation, const uint64_t *_Nonnull a, const uint64_t *_Nonnull b,
                         const uint64_t *_Nonnull result);
