/// Apple's two kinds of receipts.
public enum ReceiptType: String, Sendable, CaseIterable {
    /// The first one of a key, inside of its attestation.
    case attestation = "ATTEST"
    /// One that Apple's server issued in exchange for an earlier one, with a risk metric.
    case renewal = "RECEIPT"
}

/// The app, key and attestation that a receipt must belong to.
///
/// ```swift
/// let inAttestation = ReceiptExpectation(
///     appID: app, publicKey: verified.publicKey, clientDataHash: hash, type: .attestation,
///     environment: verified.environment)
/// let renewed = ReceiptExpectation(
///     appID: app, publicKey: verified.publicKey, type: .renewal, token: receipt.token)
/// ```
public struct ReceiptExpectation: Hashable, Sendable {
    /// The app that the key belongs to.
    public var appID: AppID
    /// The attested key as X9.63: `04`, then 32 bytes each of x and y.
    public var publicKey: [UInt8]
    /// The bytes that the app handed to `attestKey`; `nil` is not compared.
    ///
    /// Only receipts of attestations hold them. In renewed ones they are mangled, so that they are never compared
    /// there.
    public var clientDataHash: [UInt8]?
    /// The type that it must have; `nil` takes both.
    public var type: ReceiptType?
    /// The environment that it must belong to; `nil` takes both.
    ///
    /// A receipt that names none passes, since Apple does not document the field.
    public var environment: AttestEnvironment?
    /// The token of the receipt that it renews; `nil` is not compared.
    public var token: String?

    /// Creates an expectation; app and key are always compared.
    public init(
        appID: AppID, publicKey: [UInt8], clientDataHash: [UInt8]? = nil, type: ReceiptType? = nil,
        environment: AttestEnvironment? = nil, token: String? = nil
    ) {
        self.appID = appID
        self.publicKey = publicKey
        self.clientDataHash = clientDataHash
        self.type = type
        self.environment = environment
        self.token = token
    }
}
