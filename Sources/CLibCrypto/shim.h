#pragma once
// The functions on a SHA256_CTX are marked as superseded by EVP, which can neither go on from a state nor show one.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
