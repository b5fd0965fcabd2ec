/// A device about to be registered, with the evidence that is kept so that the decision can be made again later.
package struct DeviceRegistration: Sendable, Equatable {
    /// The device as it will be read back.
    package let device: Device
    /// The attestation object as received; `nil` for a plain key.
    package let attestationObject: [UInt8]?
    /// The clientDataHash that the attestation was checked against.
    package let clientDataHash: [UInt8]?
    /// The certificates of the attestation as DER, leaf first.
    package let certificateChain: [[UInt8]]
    /// Apple's receipt from the attestation.
    package let receipt: [UInt8]?
    /// The system's version in this attestation's leaf certificate; ``device`` may have that of another attestation.
    package let osVersion: String?
    /// iOS 27's validation category.
    package let validationCategory: Int?
    /// iOS 27's bundle version.
    package let bundleVersion: String?
    /// The check that the receipt failed; `nil` when the receipt was verified or there is none.
    ///
    /// Not read back with the registration: it is kept with the receipt's standing.
    package let receiptRejection: ReceiptReason?
    /// What DeviceCheck said; `nil` when it was not asked.
    package var deviceCheck: DeviceCheckState?

    /// Memberwise.
    package init(
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
