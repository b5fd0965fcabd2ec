extension AttestationError.Code {
    /// The step of ``AttestationVerifier`` that the check belongs to; `nil` for a check before the first step.
    public var step: Int? {
        switch self {
        case .attestationTooLarge, .attestationMalformed, .attestationTrailingBytes, .attestationNotAMap: 1
        case .formatUnknown: 2
        case .attestationIncomplete, .certificateCount, .receiptMissing: 3
        case .certificateMalformed: 4
        case .leafIssuerMismatch, .leafSignatureInvalid, .intermediateIssuerMismatch, .intermediateSignatureInvalid: 5
        case .intermediateConstraintsMissing, .intermediateNotAuthority, .intermediateKeyUsage, .pathTooLong,
            .leafIsAuthority, .leafKeyUsage, .criticalExtensionUnknown:
            6
        case .leafNotYetValid, .leafExpired, .intermediateNotYetValid, .intermediateExpired, .rootNotYetValid,
            .rootExpired:
            7
        case .nonceMissing, .nonceMalformed, .clientDataHashLength, .nonceMismatch: 8
        case .leafKeyType, .keyIDMismatch: 9
        case .authenticatorDataShort, .credentialMissing, .credentialIDLength, .publicKeyMalformed,
            .publicKeyUnsupported, .extensionsMalformed, .extensionsTrailingBytes, .extensionsNotAMap,
            .extensionsMissing:
            10
        case .rpIDMismatch: 11
        case .counterNotZero: 12
        case .environmentUnknown, .environmentMismatch: 13
        case .credentialIDMismatch, .publicKeyMismatch: 14
        case .appIDMismatch, .validationCategoryNotAllowed, .bundleVersionNotAllowed: 15
        case .accessControlMismatch: 16
        case .receiptRejected: 17
        case .rootMalformed: nil
        }
    }

    /// What the code means, in words for people.
    public var explanation: String {
        switch self {
        case .attestationTooLarge: "the attestation object has too many bytes"
        case .attestationMalformed: "the attestation object is not strict CBOR"
        case .attestationTrailingBytes: "bytes follow the attestation object"
        case .attestationNotAMap: "the attestation object is not a map"
        case .formatUnknown: "the attestation's format is not apple-appattest"
        case .attestationIncomplete: "the attestation object lacks attStmt or authData"
        case .certificateCount: "x5c is not exactly two certificates"
        case .receiptMissing: "the attestation carries no receipt"
        case .certificateMalformed: "a certificate is not well-formed"
        case .leafIssuerMismatch: "the leaf was not issued in the intermediate's name"
        case .leafSignatureInvalid: "the intermediate did not sign the leaf"
        case .intermediateIssuerMismatch: "the intermediate was not issued in the name of a trusted root"
        case .intermediateSignatureInvalid: "no trusted root signed the intermediate"
        case .intermediateConstraintsMissing: "the intermediate has no basic constraints"
        case .intermediateNotAuthority: "the intermediate is not a certificate authority"
        case .intermediateKeyUsage: "the intermediate may not sign certificates"
        case .pathTooLong: "the root allows no authority below it"
        case .leafIsAuthority: "the leaf is a certificate authority or does not say that it is none"
        case .leafKeyUsage: "the leaf may not make digital signatures"
        case .criticalExtensionUnknown: "a certificate has a critical extension that is not understood"
        case .leafNotYetValid: "the leaf is not valid yet"
        case .leafExpired: "the leaf has expired"
        case .intermediateNotYetValid: "the intermediate is not valid yet"
        case .intermediateExpired: "the intermediate has expired"
        case .rootNotYetValid: "the root is not valid yet"
        case .rootExpired: "the root has expired"
        case .nonceMissing: "the leaf carries no nonce"
        case .nonceMalformed: "the leaf's nonce is not well-formed"
        case .clientDataHashLength: "the clientDataHash does not have the length of SHA-256, or the one asked for"
        case .nonceMismatch: "the nonce does not cover this challenge and authenticator data"
        case .leafKeyType: "the leaf's key is not a P-256 key"
        case .keyIDMismatch: "the key id is not the digest of the leaf's key"
        case .authenticatorDataShort: "the authenticator data are too short"
        case .credentialMissing: "the authenticator data announce no credential"
        case .credentialIDLength: "the credential id does not have 32 bytes"
        case .publicKeyMalformed: "the credential's public key is not strict CBOR"
        case .publicKeyUnsupported: "the credential's public key is not a P-256 key for ES256"
        case .extensionsMalformed: "the extensions are not strict CBOR"
        case .extensionsTrailingBytes: "bytes follow the extensions"
        case .extensionsNotAMap: "the extensions are not a map"
        case .extensionsMissing: "extensions are announced but missing"
        case .rpIDMismatch: "the key belongs to another app"
        case .counterNotZero: "the counter is not 0"
        case .environmentUnknown: "the AAGUID is not one of App Attest's"
        case .environmentMismatch: "the key belongs to the other App Attest environment"
        case .credentialIDMismatch: "the credential id is not the key id"
        case .publicKeyMismatch: "the credential's public key is not the leaf's"
        case .appIDMismatch: "the leaf names another app id"
        case .validationCategoryNotAllowed: "the app's validation category is not allowed"
        case .bundleVersionNotAllowed: "the app's bundle version is not allowed"
        case .accessControlMismatch: "the key's access control list is not the required one"
        case .receiptRejected: "the receipt is not accepted"
        case .rootMalformed:
            "the trust root is not exactly one certificate in PEM form, of an authority with a key of P-256, P-384 or P-521"
        }
    }
}
