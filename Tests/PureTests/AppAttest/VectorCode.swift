import AppAttest

extension AttestationError.Code {
    /// The code of the independent verifier for the same check; `nil` where it does not check.
    var vectorCode: String? {
        switch self {
        case .attestationTooLarge, .attestationMalformed: "attestation-cbor"
        case .attestationTrailingBytes: "attestation-trailing-bytes"
        case .attestationNotAMap: "attestation-not-a-map"
        case .formatUnknown: "fmt"
        case .attestationIncomplete: "attestation-shape"
        case .certificateCount: "x5c"
        case .receiptMissing: "receipt-missing"
        case .certificateMalformed: "x5c-certificate-der"
        case .leafIssuerMismatch: "chain-leaf-issuer-name"
        case .leafSignatureInvalid: "chain-leaf-signature"
        case .intermediateIssuerMismatch: "chain-intermediate-issuer-name"
        case .intermediateSignatureInvalid: "chain-intermediate-signature"
        case .intermediateConstraintsMissing: "chain-intermediate-no-basic-constraints"
        case .intermediateNotAuthority: "chain-intermediate-not-a-ca"
        case .intermediateKeyUsage: "chain-intermediate-no-keyCertSign"
        case .leafIsAuthority: "chain-leaf-is-ca"
        case .leafNotYetValid: "leaf-not-yet-valid"
        case .leafExpired: "leaf-expired"
        case .intermediateNotYetValid: "intermediate-not-yet-valid"
        case .intermediateExpired: "intermediate-expired"
        case .rootNotYetValid: "root-not-yet-valid"
        case .rootExpired: "root-expired"
        case .nonceMissing: "nonce-extension-missing"
        case .nonceMalformed: "nonce-extension-malformed"
        case .clientDataHashLength, .nonceMismatch: "nonce"
        case .leafKeyType: "leaf-key-type"
        case .keyIDMismatch: "key-id"
        case .authenticatorDataShort: "authdata-short"
        case .credentialMissing: "authdata-no-AT"
        case .credentialIDLength: "credential-id-length"
        case .publicKeyMalformed: "cose-cbor"
        case .publicKeyUnsupported: "cose-key"
        case .extensionsMalformed: "extensions-cbor"
        case .extensionsTrailingBytes: "extensions-trailing-bytes"
        case .extensionsNotAMap: "extensions-not-a-map"
        case .extensionsMissing: "ED-without-extensions"
        case .rpIDMismatch: "rp-id"
        case .counterNotZero: "counter-not-zero"
        case .environmentUnknown: "aaguid-unknown"
        case .environmentMismatch: "aaguid-environment"
        case .credentialIDMismatch: "credential-id"
        case .publicKeyMismatch: "cose-key-mismatch"
        case .pathTooLong, .leafKeyUsage, .criticalExtensionUnknown, .appIDMismatch, .validationCategoryNotAllowed,
            .bundleVersionNotAllowed, .accessControlMismatch, .receiptRejected, .rootMalformed:
            nil
        }
    }
}

extension AssertionError.Code {
    /// The code of the independent verifier for the same check; `nil` where it does not check.
    var vectorCode: String? {
        switch self {
        case .assertionTooLarge, .assertionMalformed: "assertion-cbor"
        case .assertionTrailingBytes: "assertion-trailing-bytes"
        case .assertionNotAMap: "assertion-not-a-map"
        case .assertionIncomplete: "assertion-shape"
        case .clientDataHashLength, .signatureInvalid: "signature"
        case .authenticatorDataShort: "authdata-short"
        case .extensionsMalformed: "extensions-cbor"
        case .extensionsTrailingBytes: "extensions-trailing-bytes"
        case .extensionsNotAMap: "extensions-not-a-map"
        case .extensionsMissing: "ED-without-extensions"
        case .rpIDMismatch: "rp-id"
        case .counterNotGreater: "counter"
        case .publicKeyMalformed, .validationCategoryNotAllowed, .bundleVersionNotAllowed,
            .validationCategoryBelowAttested, .bundleVersionBelowAttested:
            nil
        }
    }
}
