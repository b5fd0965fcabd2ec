/// A device about to be registered, with the evidence that is kept so that the decision can be made again later.
public struct DeviceRegistration: Sendable, Equatable {
    /// The device as it will be read back.
    public let device: Device
    /// The attestation object as received; `nil` for a plain key.
    public let attestationObject: [UInt8]?
    /// The clientDataHash that the attestation was checked against.
    public let clientDataHash: [UInt8]?
    /// The certificates of the attestation as DER, leaf first.
    public let certificateChain: [[UInt8]]
    /// Apple's receipt from the attestation.
    public let receipt: [UInt8]?
    /// The system's version in this attestation's leaf certificate; ``device`` may have that of another attestation.
    public let osVersion: String?
    /// iOS 27's validation category.
    public let validationCategory: Int?
    /// iOS 27's bundle version.
    public let bundleVersion: String?
    /// The check that the receipt failed; `nil` when the receipt was verified or there is none.
    ///
    /// Not read back with the registration: it is kept with the receipt's standing.
    public let receiptRejection: ReceiptReason?
    /// What DeviceCheck said; `nil` when it was not asked.
    public var deviceCheck: DeviceCheckState?

    /// Memberwise.
    public init(
        device: Device, attestationObject: [UInt8]?, clientDataHash: [UInt8]?, certificateChain: [[UInt8]],
        receipt: [UInt8]?, osVersion: String?, validationCategory: Int?, bundleVersion: String?,
        receiptRejection: ReceiptReason? = nil, deviceCheck: DeviceCheckState? = nil
    ) {
        self.device = device
        self.attestationObject = attestationObject
        self.clientDataHash = clientDataHash
        self.certificateChain = certificateChain
        self.receipt = receipt
        self.osVersion = osVersion
        self.validationCategory = validationCategory
        self.bundleVersion = bundleVersion
        self.receiptRejection = receiptRejection
        self.deviceCheck = deviceCheck
    }
}
