/// Why an assertion is not accepted: one code for the first check that failed.
///
/// Equal when the codes are equal. The message explains the code and may name an offset; it never repeats input.
public struct AssertionError: Error, Sendable {
    /// The check that failed.
    public let code: Code
    /// What it means, in words for people.
    public let message: String

    /// The step of the verification it belongs to (``AssertionVerifier`` lists them).
    public var step: Int { code.step }

    init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.message = detail.map { "\(code.explanation): \($0)" } ?? code.explanation
    }
}

extension AssertionError: Equatable {
    /// Whether both name the same check.
    public static func == (one: AssertionError, other: AssertionError) -> Bool { one.code == other.code }
}

extension AssertionError: CustomStringConvertible {
    /// Code and message, safe for logs.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension AssertionError {
    /// Names a failed check; the raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// More bytes than the limits allow.
        case assertionTooLarge = "ASSERTION_TOO_LARGE"
        /// Not strict CBOR within the limits.
        case assertionMalformed = "ASSERTION_MALFORMED"
        /// Bytes follow the assertion.
        case assertionTrailingBytes = "ASSERTION_TRAILING_BYTES"
        /// CBOR, but not a map.
        case assertionNotAMap = "ASSERTION_NOT_A_MAP"
        /// `signature` or `authenticatorData` is not a byte string.
        case assertionIncomplete = "ASSERTION_INCOMPLETE"
        /// The device's public key is neither a point of P-256 in X9.63 nor one of Ed25519, or is one of small order.
        case publicKeyMalformed = "PUBLIC_KEY_MALFORMED"
        /// The clientDataHash does not have 32 bytes, or not the number that the limits name.
        case clientDataHashLength = "CLIENT_DATA_HASH_LENGTH"
        /// The signature is not DER, not by this key, or not over this client data and authenticator data.
        case signatureInvalid = "SIGNATURE_INVALID"
        /// The authenticator data have fewer than 37 bytes.
        case authenticatorDataShort = "AUTHENTICATOR_DATA_SHORT"
        /// What follows the counter is not strict CBOR.
        case extensionsMalformed = "EXTENSIONS_MALFORMED"
        /// Bytes follow the extensions.
        case extensionsTrailingBytes = "EXTENSIONS_TRAILING_BYTES"
        /// What follows the counter is not a map.
        case extensionsNotAMap = "EXTENSIONS_NOT_A_MAP"
        /// Extensions are announced (flag ED), but nothing follows.
        case extensionsMissing = "EXTENSIONS_MISSING"
        /// The assertion was made for another app.
        case rpIDMismatch = "RP_ID_MISMATCH"
        /// The counter is not greater than the one seen before.
        case counterNotGreater = "COUNTER_NOT_GREATER"
        /// The app was distributed in a way that the policy does not take.
        case validationCategoryNotAllowed = "VALIDATION_CATEGORY_NOT_ALLOWED"
        /// The app's version is lower than the policy's, or cannot be compared with it.
        case bundleVersionNotAllowed = "BUNDLE_VERSION_NOT_ALLOWED"
        /// The app was distributed in a way that vouches for less than every attestation of the key says.
        case validationCategoryBelowAttested = "VALIDATION_CATEGORY_BELOW_ATTESTED"
        /// The app's version is lower than every attestation of the key says.
        case bundleVersionBelowAttested = "BUNDLE_VERSION_BELOW_ATTESTED"

        /// The step of ``AssertionVerifier`` that the check belongs to.
        public var step: Int {
            switch self {
            case .assertionTooLarge, .assertionMalformed, .assertionTrailingBytes, .assertionNotAMap,
                .assertionIncomplete:
                1
            case .publicKeyMalformed: 2
            case .clientDataHashLength, .signatureInvalid: 3
            case .authenticatorDataShort, .extensionsMalformed, .extensionsTrailingBytes, .extensionsNotAMap,
                .extensionsMissing:
                4
            case .rpIDMismatch: 5
            case .counterNotGreater: 6
            case .validationCategoryNotAllowed, .bundleVersionNotAllowed, .validationCategoryBelowAttested,
                .bundleVersionBelowAttested:
                7
            }
        }

        /// What the code means, in words for people.
        public var explanation: String {
            switch self {
            case .assertionTooLarge: "the assertion has too many bytes"
            case .assertionMalformed: "the assertion is not strict CBOR"
            case .assertionTrailingBytes: "bytes follow the assertion"
            case .assertionNotAMap: "the assertion is not a map"
            case .assertionIncomplete: "the assertion lacks signature or authenticatorData"
            case .publicKeyMalformed: "the public key is neither a point of P-256 nor a valid Ed25519 key"
            case .clientDataHashLength: "the clientDataHash does not have the length of SHA-256, or the one asked for"
            case .signatureInvalid: "the signature does not cover these bytes with this key"
            case .authenticatorDataShort: "the authenticator data are too short"
            case .extensionsMalformed: "the extensions are not strict CBOR"
            case .extensionsTrailingBytes: "bytes follow the extensions"
            case .extensionsNotAMap: "the extensions are not a map"
            case .extensionsMissing: "extensions are announced but missing"
            case .rpIDMismatch: "the assertion was made for another app"
            case .counterNotGreater: "the counter is not greater than the previous one"
            case .validationCategoryNotAllowed: "the app's validation category is not allowed"
            case .bundleVersionNotAllowed: "the app's bundle version is not allowed"
            case .validationCategoryBelowAttested: "the app's validation category is lower than attested"
            case .bundleVersionBelowAttested: "the app's bundle version is lower than attested"
            }
        }
    }
}
