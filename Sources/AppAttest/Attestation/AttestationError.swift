/// Why an attestation is not accepted: one code for the first check that failed.
///
/// Equal when the codes are equal. The message explains the code and may name an offset; it never repeats input.
public struct AttestationError: Error, Sendable {
    /// The check that failed.
    public let code: Code
    /// What it means, in words for people.
    public let message: String

    /// What is wrong with the receipt, when the code is `RECEIPT_REJECTED`.
    public let receipt: ReceiptError?

    /// The step of the verification it belongs to (``AttestationVerifier`` lists them); `nil` outside of one.
    public var step: Int? { code.step }

    init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.message = detail.map { "\(code.explanation): \($0)" } ?? code.explanation
        self.receipt = nil
    }

    init(_ receipt: ReceiptError) {
        let code = Code.receiptRejected
        self.code = code
        self.message = "\(code.explanation): \(receipt)"
        self.receipt = receipt
    }
}

extension AttestationError: Equatable {
    /// Whether both name the same check.
    public static func == (one: AttestationError, other: AttestationError) -> Bool { one.code == other.code }
}

extension AttestationError: CustomStringConvertible {
    /// Code and message, safe for logs.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension AttestationError {
    /// Names a failed check; the raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// More bytes than the limits allow.
        case attestationTooLarge = "ATTESTATION_TOO_LARGE"
        /// Not strict CBOR within the limits.
        case attestationMalformed = "ATTESTATION_MALFORMED"
        /// Bytes follow the attestation object.
        case attestationTrailingBytes = "ATTESTATION_TRAILING_BYTES"
        /// CBOR, but not a map.
        case attestationNotAMap = "ATTESTATION_NOT_A_MAP"
        /// `fmt` is not "apple-appattest".
        case formatUnknown = "FORMAT_UNKNOWN"
        /// `attStmt` is not a map or `authData` not a byte string.
        case attestationIncomplete = "ATTESTATION_INCOMPLETE"
        /// `x5c` is not exactly two byte strings.
        case certificateCount = "CERTIFICATE_COUNT"
        /// `receipt` is not a byte string, or has no bytes where one is required.
        case receiptMissing = "RECEIPT_MISSING"
        /// A certificate is not the DER of an X.509 certificate.
        case certificateMalformed = "CERTIFICATE_MALFORMED"
        /// The intermediate's name is not the leaf's issuer.
        case leafIssuerMismatch = "LEAF_ISSUER_MISMATCH"
        /// The intermediate did not sign the leaf.
        case leafSignatureInvalid = "LEAF_SIGNATURE_INVALID"
        /// No pinned root has the name of the intermediate's issuer.
        case intermediateIssuerMismatch = "INTERMEDIATE_ISSUER_MISMATCH"
        /// The pinned root did not sign the intermediate.
        case intermediateSignatureInvalid = "INTERMEDIATE_SIGNATURE_INVALID"
        /// The intermediate has no basic constraints.
        case intermediateConstraintsMissing = "INTERMEDIATE_CONSTRAINTS_MISSING"
        /// The intermediate's basic constraints are not critical, or do not make it an authority.
        case intermediateNotAuthority = "INTERMEDIATE_NOT_AUTHORITY"
        /// The intermediate may not sign certificates.
        case intermediateKeyUsage = "INTERMEDIATE_KEY_USAGE"
        /// The root allows no authority below it.
        case pathTooLong = "PATH_TOO_LONG"
        /// The leaf is an authority, or does not say that it is none.
        case leafIsAuthority = "LEAF_IS_AUTHORITY"
        /// The leaf may not make digital signatures.
        case leafKeyUsage = "LEAF_KEY_USAGE"
        /// A certificate has a critical extension that is not understood here (RFC 5280, 4.2).
        case criticalExtensionUnknown = "CRITICAL_EXTENSION_UNKNOWN"
        /// The leaf's validity starts later.
        case leafNotYetValid = "LEAF_NOT_YET_VALID"
        /// The leaf's validity ended before.
        case leafExpired = "LEAF_EXPIRED"
        /// The intermediate's validity starts later.
        case intermediateNotYetValid = "INTERMEDIATE_NOT_YET_VALID"
        /// The intermediate's validity ended before.
        case intermediateExpired = "INTERMEDIATE_EXPIRED"
        /// The root's validity starts later.
        case rootNotYetValid = "ROOT_NOT_YET_VALID"
        /// The root's validity ended before.
        case rootExpired = "ROOT_EXPIRED"
        /// The leaf has no nonce.
        case nonceMissing = "NONCE_MISSING"
        /// The leaf's nonce is not written as Apple writes it.
        case nonceMalformed = "NONCE_MALFORMED"
        /// The clientDataHash does not have 32 bytes, or not the number that the limits name.
        case clientDataHashLength = "CLIENT_DATA_HASH_LENGTH"
        /// The nonce covers other authenticator data or another challenge.
        case nonceMismatch = "NONCE_MISMATCH"
        /// The leaf's key is not a P-256 key.
        case leafKeyType = "LEAF_KEY_TYPE"
        /// The leaf's key does not have this key id.
        case keyIDMismatch = "KEY_ID_MISMATCH"
        /// The authenticator data end too early.
        case authenticatorDataShort = "AUTHENTICATOR_DATA_SHORT"
        /// The authenticator data do not announce a credential (flag AT).
        case credentialMissing = "CREDENTIAL_MISSING"
        /// The credential id is not announced with 32 bytes.
        case credentialIDLength = "CREDENTIAL_ID_LENGTH"
        /// The COSE key is not strict CBOR.
        case publicKeyMalformed = "PUBLIC_KEY_MALFORMED"
        /// The COSE key is not the five parameters of a P-256 key.
        case publicKeyUnsupported = "PUBLIC_KEY_UNSUPPORTED"
        /// What follows the key is not strict CBOR.
        case extensionsMalformed = "EXTENSIONS_MALFORMED"
        /// Bytes follow the extensions.
        case extensionsTrailingBytes = "EXTENSIONS_TRAILING_BYTES"
        /// What follows the key is not a map.
        case extensionsNotAMap = "EXTENSIONS_NOT_A_MAP"
        /// Extensions are announced (flag ED), but nothing follows.
        case extensionsMissing = "EXTENSIONS_MISSING"
        /// The key belongs to an app that is not allowed.
        case rpIDMismatch = "RP_ID_MISMATCH"
        /// The counter of a fresh key is not 0.
        case counterNotZero = "COUNTER_NOT_ZERO"
        /// The AAGUID is neither of Apple's two.
        case environmentUnknown = "ENVIRONMENT_UNKNOWN"
        /// The key belongs to an environment that is not allowed.
        case environmentMismatch = "ENVIRONMENT_MISMATCH"
        /// The credential id is not the key id.
        case credentialIDMismatch = "CREDENTIAL_ID_MISMATCH"
        /// The COSE key is not the leaf's key.
        case publicKeyMismatch = "PUBLIC_KEY_MISMATCH"
        /// The leaf names another app id than the authenticator data.
        case appIDMismatch = "APP_ID_MISMATCH"
        /// The app was distributed in a way that the policy does not take.
        case validationCategoryNotAllowed = "VALIDATION_CATEGORY_NOT_ALLOWED"
        /// The app's version is lower than the policy's, or cannot be compared with it.
        case bundleVersionNotAllowed = "BUNDLE_VERSION_NOT_ALLOWED"
        /// The leaf's access control list is not the one that the policy asks for.
        case accessControlMismatch = "ACCESS_CONTROL_MISMATCH"
        /// The receipt is not accepted by the policy's rules for receipts.
        case receiptRejected = "RECEIPT_REJECTED"
        /// A trust root given to this library is not exactly one certificate in PEM form, or not one of an authority
        /// with a key of P-256, P-384 or P-521.
        case rootMalformed = "ROOT_MALFORMED"
    }
}
