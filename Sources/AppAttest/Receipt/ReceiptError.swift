/// Why a receipt is not accepted: one code for the first check that failed.
///
/// Equal when the codes are equal. The message explains the code and may name an offset or a field's number; it never
/// repeats input.
public struct ReceiptError: Error, Sendable {
    /// The check that failed.
    public let code: Code
    /// What it means, in words for people.
    public let message: String

    /// The step of the verification it belongs to (``ReceiptVerifier`` lists them).
    public var step: Int { code.step }

    init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.message = detail.map { "\(code.explanation): \($0)" } ?? code.explanation
    }
}

extension ReceiptError: Equatable {
    /// Whether both name the same check.
    public static func == (one: ReceiptError, other: ReceiptError) -> Bool { one.code == other.code }
}

extension ReceiptError: CustomStringConvertible {
    /// Code and message, safe for logs.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension ReceiptError {
    /// Names a failed check; the raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// More bytes than the limits allow.
        case tooLarge = "RECEIPT_TOO_LARGE"
        /// Not the BER of a CMS message within the limits.
        case malformed = "RECEIPT_MALFORMED"
        /// A CMS message, but not signed data.
        case notSignedData = "RECEIPT_NOT_SIGNED_DATA"
        /// A certificate inside is not the DER of an X.509 certificate.
        case certificateMalformed = "RECEIPT_CERTIFICATE_MALFORMED"
        /// Not exactly one signer.
        case signerCount = "RECEIPT_SIGNER_COUNT"
        /// Not exactly one certificate inside is the signer's.
        case signerCertificateMissing = "RECEIPT_SIGNER_CERTIFICATE_MISSING"
        /// Signed otherwise than with ECDSA and SHA-256.
        case algorithmUnsupported = "RECEIPT_ALGORITHM_UNSUPPORTED"
        /// The signer did not sign the content.
        case signatureInvalid = "RECEIPT_SIGNATURE_INVALID"
        /// An issuer's certificate is missing.
        case chainIncomplete = "RECEIPT_CHAIN_INCOMPLETE"
        /// An issuer did not sign the certificate below it.
        case chainSignatureInvalid = "RECEIPT_CHAIN_SIGNATURE_INVALID"
        /// The chain ends in a root that is not trusted.
        case rootUntrusted = "RECEIPT_ROOT_UNTRUSTED"
        /// More authorities than the limit, or than an authority allows below it.
        case chainTooLong = "RECEIPT_CHAIN_TOO_LONG"
        /// An authority has no basic constraints.
        case authorityConstraintsMissing = "RECEIPT_AUTHORITY_CONSTRAINTS_MISSING"
        /// An authority's basic constraints are not critical, or do not make it one.
        case authorityNotAuthority = "RECEIPT_AUTHORITY_NOT_AUTHORITY"
        /// An authority may not sign certificates.
        case authorityKeyUsage = "RECEIPT_AUTHORITY_KEY_USAGE"
        /// The signer is an authority, or does not say that it is none.
        case signerIsAuthority = "RECEIPT_SIGNER_IS_AUTHORITY"
        /// The signer may not make digital signatures.
        case signerKeyUsage = "RECEIPT_SIGNER_KEY_USAGE"
        /// The signer was made for another purpose than receipts.
        case signerPurpose = "RECEIPT_SIGNER_PURPOSE"
        /// A certificate has a critical extension that is not understood here (RFC 5280, 4.2).
        case criticalExtensionUnknown = "RECEIPT_CRITICAL_EXTENSION_UNKNOWN"
        /// A certificate's validity starts later.
        case chainNotYetValid = "RECEIPT_CHAIN_NOT_YET_VALID"
        /// A certificate's validity ended before.
        case chainExpired = "RECEIPT_CHAIN_EXPIRED"
        /// The content is not a set of fields within the limits.
        case payloadMalformed = "RECEIPT_PAYLOAD_MALFORMED"
        /// A field that every receipt of the type has is missing.
        case fieldMissing = "RECEIPT_FIELD_MISSING"
        /// A field is not written as Apple writes it.
        case fieldMalformed = "RECEIPT_FIELD_MALFORMED"
        /// The receipt is for another app.
        case appIDMismatch = "RECEIPT_APP_ID_MISMATCH"
        /// The receipt is for another key.
        case publicKeyMismatch = "RECEIPT_PUBLIC_KEY_MISMATCH"
        /// The receipt belongs to another attestation.
        case clientDataHashMismatch = "RECEIPT_CLIENT_DATA_HASH_MISMATCH"
        /// The receipt is not of the type asked for.
        case typeMismatch = "RECEIPT_TYPE_MISMATCH"
        /// The receipt belongs to the other App Attest environment.
        case environmentMismatch = "RECEIPT_ENVIRONMENT_MISMATCH"
        /// The receipt does not renew the one asked for.
        case tokenMismatch = "RECEIPT_TOKEN_MISMATCH"
        /// The receipt has expired.
        case expired = "RECEIPT_EXPIRED"
        /// The receipt was made after it was received, beyond the clock skew.
        case createdLater = "RECEIPT_CREATED_LATER"
        /// The receipt was old when it was received.
        case stale = "RECEIPT_STALE"
    }
}
