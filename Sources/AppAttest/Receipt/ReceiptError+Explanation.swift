extension ReceiptError.Code {
    /// The step of ``ReceiptVerifier`` that the check belongs to.
    public var step: Int {
        switch self {
        case .tooLarge, .malformed, .notSignedData, .certificateMalformed: 1
        case .signerCount, .signerCertificateMissing: 2
        case .algorithmUnsupported, .signatureInvalid: 3
        case .chainIncomplete, .chainSignatureInvalid, .rootUntrusted: 4
        case .chainTooLong, .authorityConstraintsMissing, .authorityNotAuthority, .authorityKeyUsage,
            .signerIsAuthority, .signerKeyUsage, .signerPurpose, .criticalExtensionUnknown:
            5
        case .chainNotYetValid, .chainExpired: 6
        case .payloadMalformed, .fieldMissing, .fieldMalformed: 7
        case .appIDMismatch: 8
        case .publicKeyMismatch: 9
        case .clientDataHashMismatch: 10
        case .typeMismatch, .environmentMismatch: 11
        case .tokenMismatch: 12
        case .expired, .createdLater, .stale: 13
        }
    }

    /// What the code means, in words for people.
    public var explanation: String {
        switch self {
        case .tooLarge: "the receipt has too many bytes"
        case .malformed: "the receipt is not a CMS message"
        case .notSignedData: "the receipt is not signed data"
        case .certificateMalformed: "a certificate in the receipt is not well-formed"
        case .signerCount: "the receipt does not have exactly one signer"
        case .signerCertificateMissing: "the receipt does not hold exactly one certificate of its signer"
        case .algorithmUnsupported: "the receipt is not signed with ECDSA and SHA-256"
        case .signatureInvalid: "the signer did not sign the receipt's content"
        case .chainIncomplete: "the chain from the signer to a root has a gap"
        case .chainSignatureInvalid: "an issuer did not sign the certificate below it"
        case .rootUntrusted: "the signer's chain ends in a root that is not trusted"
        case .chainTooLong: "the chain has more authorities than are allowed"
        case .authorityConstraintsMissing: "an authority has no basic constraints"
        case .authorityNotAuthority: "an issuer is not a certificate authority"
        case .authorityKeyUsage: "an authority may not sign certificates"
        case .signerIsAuthority: "the signer is a certificate authority or does not say that it is none"
        case .signerKeyUsage: "the signer may not make digital signatures"
        case .signerPurpose: "the signer is not one of receipts"
        case .criticalExtensionUnknown: "a certificate has a critical extension that is not understood"
        case .chainNotYetValid: "a certificate of the chain is not valid yet"
        case .chainExpired: "a certificate of the chain has expired"
        case .payloadMalformed: "the receipt's content is not a set of fields"
        case .fieldMissing: "the receipt lacks a field"
        case .fieldMalformed: "a field of the receipt is not well-formed"
        case .appIDMismatch: "the receipt belongs to another app"
        case .publicKeyMismatch: "the receipt belongs to another key"
        case .clientDataHashMismatch: "the receipt belongs to another attestation"
        case .typeMismatch: "the receipt is not of the expected type"
        case .environmentMismatch: "the receipt belongs to the other App Attest environment"
        case .tokenMismatch: "the receipt does not renew the expected one"
        case .expired: "the receipt has expired"
        case .createdLater: "the receipt was made after it was received"
        case .stale: "the receipt was too old when it was received"
        }
    }
}
