import Crypto

/// The signer and the signature of a receipt, as its envelope states them (RFC 5652, 5.3).
///
/// ```
/// SEQUENCE { INTEGER version, SEQUENCE { issuer, INTEGER serial }, digestAlgorithm,
///            [0] { signed attributes… }, signatureAlgorithm, OCTET STRING signature, [1] { unsigned attributes… } }
/// ```
struct ReceiptSigner {
    /// The issuer's name in the signer's certificate.
    let issuer: ArraySlice<UInt8>
    /// The serial number of the signer's certificate, without leading zeros, as in ``X509Certificate``.
    let serialNumber: ArraySlice<UInt8>
    let usesSHA256: Bool
    /// The attributes' contents; `nil` in receipts made since the end of October 2020.
    let signedAttributes: BERReader?
    /// The attributes' bytes, in the form in which they would be signed.
    let signedAttributesDER: [UInt8]
    let signature: ArraySlice<UInt8>

    /// Reads a SignerInfo; a signer named in another way than by issuer and serial number is unexpected.
    init(_ reader: BERReader) throws(BERError) {
        var reader = reader
        _ = try reader.next(BERElement.integer)
        var name = reader.contents(of: try reader.next(BERElement.sequence))
        issuer = try name.next(BERElement.sequence).encoded
        serialNumber = try name.next(BERElement.integer).contents.drop { $0 == 0 }
        try name.finish()
        let digest = try reader.next(BERElement.sequence).contents
        let attributes = try reader.optional(BERElement.context(0))
        signedAttributes = attributes.map { reader.contents(of: $0) }
        signedAttributesDER = attributes.map { Self.set($0.contents) } ?? []
        let algorithm = try reader.next(BERElement.sequence).contents
        signature = try reader.next(BERElement.octetString).contents
        _ = try reader.optional(BERElement.context(1))
        try reader.finish()
        usesSHA256 = Self.sha256.contains(Array(digest)) && algorithm.elementsEqual(Self.ecdsaWithSHA256)
    }

    /// Whether the attributes name this content by its type and its SHA-256 (RFC 5652, 5.4 and 11).
    func attributesCover(_ content: [UInt8]) -> Bool {
        guard var reader = signedAttributes else { return false }
        var (typeMatches, digestMatches) = (false, false)
        // An unreadable attribute covers nothing.
        while !reader.isAtEnd {
            guard let attribute = try? reader.next(BERElement.sequence) else { return false }
            var parts = reader.contents(of: attribute)
            guard let identifier = try? parts.next(BERElement.objectIdentifier).contents,
                let set = try? parts.next(BERElement.set), parts.isAtEnd
            else { return false }
            var values = parts.contents(of: set)
            if identifier.elementsEqual(Self.contentType) {
                guard !typeMatches, let type = try? values.next(BERElement.objectIdentifier), values.isAtEnd,
                    type.contents.elementsEqual(SignedReceipt.data)
                else { return false }
                typeMatches = true
            } else if identifier.elementsEqual(Self.messageDigest) {
                guard !digestMatches, let digest = try? values.next(BERElement.octetString), values.isAtEnd,
                    SHA256.hash(data: content).elementsEqual(digest.contents)
                else { return false }
                digestMatches = true
            }
        }
        return typeMatches && digestMatches
    }

    /// Signed attributes are signed as the DER of a SET, although the envelope has them under a context tag.
    private static func set(_ contents: ArraySlice<UInt8>) -> [UInt8] {
        let length: [UInt8] =
            switch contents.count {
            case ..<0x80: [UInt8(contents.count)]
            case ..<0x100: [0x81, UInt8(contents.count)]
            // Limits keep receipts below 64 KiB in practice; anything longer fails to verify.
            default: [0x82, UInt8(contents.count >> 8 & 0xFF), UInt8(contents.count & 0xFF)]
            }
        return [BERElement.set] + length + contents
    }

    /// SHA-256 with and without the parameter NULL (RFC 5754, 2).
    private static let sha256: [[UInt8]] = [
        [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00],
        [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01],
    ]
    /// 1.2.840.10045.4.3.2 without parameters (RFC 5758, 3.2).
    private static let ecdsaWithSHA256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    private static let contentType: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
    private static let messageDigest: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04]
}
