import CBOR

/// A parsed attestation object, unverified: steps 1 to 3.
///
/// Keys beyond the three known ones are passed over; they are not signed.
struct AttestationObject {
    let leaf: [UInt8]
    let intermediate: [UInt8]
    let receipt: [UInt8]
    let authenticatorData: [UInt8]

    static let format = "apple-appattest"

    init(_ bytes: [UInt8], limits: AttestationPolicy.Limits, requireReceipt: Bool) throws(AttestationError) {
        let object = try Self.decode(bytes, limits: limits)
        guard let format = object["fmt"]?.text, format.utf8.elementsEqual(Self.format.utf8) else {
            throw AttestationError(.formatUnknown)
        }
        guard let statement = object["attStmt"], case .map = statement, let data = object["authData"]?.bytes else {
            throw AttestationError(.attestationIncomplete)
        }
        guard let certificates = statement["x5c"]?.array, certificates.count == 2,
            let leaf = certificates[0].bytes, let intermediate = certificates[1].bytes
        else { throw AttestationError(.certificateCount) }
        // No signature covers the receipt. An empty one counts as missing, or else a sender could leave the receipt
        // out.
        let receipt: [UInt8]?
        if let value = statement["receipt"] { receipt = value.bytes } else { receipt = [] }
        guard let receipt, !receipt.isEmpty || !requireReceipt else { throw AttestationError(.receiptMissing) }
        self.leaf = leaf
        self.intermediate = intermediate
        self.receipt = receipt
        authenticatorData = data
    }

    /// Step 1 alone: a map within the limits, whatever it holds.
    static func decode(
        _ bytes: [UInt8], limits: AttestationPolicy.Limits
    ) throws(AttestationError) -> CBORValue {
        guard bytes.count <= limits.attestationBytesMax else { throw AttestationError(.attestationTooLarge) }
        let object: CBORValue
        do throws(CBORError) {
            object = try CBORValue.decode(bytes, limits: limits.cbor)
        } catch {
            let code: AttestationError.Code =
                error.code == .trailingBytes ? .attestationTrailingBytes : .attestationMalformed
            throw AttestationError(code, detail: "\(error)")
        }
        guard case .map = object else { throw AttestationError(.attestationNotAMap) }
        return object
    }
}
