import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One parsed certificate of a chain, unverified (RFC 5280, 4.1).
///
/// swift-asn1's DER reader reads the structure, swift-certificates reads names, keys and extensions.
/// swift-certificates' own `Certificate` is not used because it refuses the whole certificate when its key or signature
/// is of an unknown kind, where the verifier gives a more precise reason at a later step.
struct X509Certificate: Sendable {
    let der: [UInt8]
    /// The to-be-signed part, header included.
    let signedBytes: ArraySlice<UInt8>
    /// The number's octets without leading zeros; in Apple's leaves it is a time, and so not unique.
    let serialNumber: ArraySlice<UInt8>
    /// The issuer's name as DER; authorities must repeat their subject byte by byte (RFC 5280, 4.1.2.6).
    let issuer: ArraySlice<UInt8>
    let notBefore: Date
    let notAfter: Date
    /// The subject's name as DER.
    let subject: ArraySlice<UInt8>
    let subjectPublicKeyInfo: ArraySlice<UInt8>
    let extensions: [Certificate.Extension]
    /// The algorithm identifier as DER.
    let signatureAlgorithm: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>

    /// As many extensions as swift-certificates takes; bounds the search for duplicates.
    private static let extensionsMax = 32

    /// Reads exactly one certificate; throws what the DER reader throws, or ``Malformed``.
    init(der: [UInt8]) throws {
        self.der = der
        let parts = try DER.sequence(try DER.parse(der), identifier: .sequence) { nodes in
            guard let signed = nodes.next(), let algorithm = nodes.next() else { throw Malformed() }
            return (signed, algorithm.encodedBytes, try ASN1BitString(derEncoded: &nodes))
        }
        (signatureAlgorithm, signedBytes) = (parts.1, parts.0.encodedBytes)
        guard parts.2.paddingBits == 0 else { throw Malformed() }
        signature = parts.2.bytes

        let fields = try DER.sequence(parts.0, identifier: .sequence) { nodes in try Fields(&nodes) }
        guard fields.signatureAlgorithm == signatureAlgorithm else { throw Malformed() }
        (serialNumber, issuer, subject) = (fields.serialNumber, fields.issuer, fields.subject)
        (notBefore, notAfter) = fields.validity
        subjectPublicKeyInfo = fields.subjectPublicKeyInfo
        extensions = fields.extensions
    }

    /// The certificate breaks a rule of RFC 5280 that the DER reader does not check.
    struct Malformed: Error {}

    /// The fields of the to-be-signed part in their order.
    private struct Fields {
        let serialNumber: ArraySlice<UInt8>
        let signatureAlgorithm: ArraySlice<UInt8>
        let issuer: ArraySlice<UInt8>
        let validity: (Date, Date)
        let subject: ArraySlice<UInt8>
        let subjectPublicKeyInfo: ArraySlice<UInt8>
        let extensions: [Certificate.Extension]

        init(_ nodes: inout ASN1NodeCollection.Iterator) throws {
            let version =
                try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                    try Int(derEncoded: node)
                } ?? 0
            serialNumber = try ArraySlice<UInt8>(derEncoded: &nodes)
            guard let algorithm = nodes.next(), let issuer = nodes.next(), let validity = nodes.next(),
                let subject = nodes.next(), let key = nodes.next()
            else { throw Malformed() }
            signatureAlgorithm = algorithm.encodedBytes
            self.issuer = issuer.encodedBytes
            self.validity = try DER.sequence(validity, identifier: .sequence) { nodes in
                (try X509Certificate.time(&nodes), try X509Certificate.time(&nodes))
            }
            self.subject = subject.encodedBytes
            subjectPublicKeyInfo = key.encodedBytes
            // The unique identifiers of version 2 would follow here; nobody uses them, and they are refused.
            extensions =
                try DER.optionalExplicitlyTagged(&nodes, tagNumber: 3, tagClass: .contextSpecific) { node in
                    try DER.sequence(of: Certificate.Extension.self, identifier: .sequence, rootNode: node)
                } ?? []
            guard version == 2 || (0...1).contains(version) && extensions.isEmpty,
                extensions.count <= X509Certificate.extensionsMax,
                Set(extensions.map(\.oid)).count == extensions.count
            else { throw Malformed() }
        }
    }
}
