// What CMultiBufferP256 is held against: the same with libcrypto's numbers and points, slow and of another hand.
#pragma once
#include <CMultiBufferP256.h>

/// Whether libcrypto calls the signature valid.
_Bool reference_is_valid(const cmb_p256_claim *_Nonnull claim);

// Without a private key one may choose what a verification comes to, u1·G + u2·Q, though not the hash. The following make
// such claims, with u2 from 1 to n − 1; false where there is none.

/// A claim that holds, by the key `d`·G.
_Bool reference_make_claim(uint64_t d, const uint8_t *_Nonnull u1, const uint8_t *_Nonnull u2,
                           cmb_p256_claim *_Nonnull claim);

/// A claim that comes to the same sum, which may be nothing, and names another r.
_Bool reference_make_false_claim(uint64_t d, const uint8_t *_Nonnull u1, const uint8_t *_Nonnull u2, uint64_t r,
                                 cmb_p256_claim *_Nonnull claim);

/// A claim whose sum has this x, or the next larger one of a point, by whatever key that takes. It names x itself, which holds
/// below n only, or x modulo n.
_Bool reference_make_claim_of_x(const uint8_t *_Nonnull x, const uint8_t *_Nonnull u1, const uint8_t *_Nonnull u2,
                                _Bool reduces, cmb_p256_claim *_Nonnull claim);

/// A claim that holds, by the key `d`·G, of a signature made with the nonce `k` and with this s.
_Bool reference_make_claim_of_s(uint64_t d, uint64_t k, uint64_t s, cmb_p256_claim *_Nonnull claim);

/// A claim by whatever key makes the sum meet its own addend, or the addend's negative, at the addition number `step` or the
/// next one that can: it holds if `r` is 0, and names this r if not.
_Bool reference_make_exceptional_claim(const uint8_t *_Nonnull u1, const uint8_t *_Nonnull u2, int step, _Bool negative,
                                       uint64_t r, cmb_p256_claim *_Nonnull claim);

/// Whether an operation's result is what it should be and as small as it should be, for the numbers of one lane.
_Bool reference_is_right(cmb_p256_operation operation, const uint64_t *_Nonnull a, const uint64_t *_Nonnull b,
                         const uint64_t *_Nonnull result);
