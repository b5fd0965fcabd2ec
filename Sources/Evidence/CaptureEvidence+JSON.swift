import CaptureModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CaptureEvidence: Encodable {
    /// The document's own name for its form; another form gets another name.
    public static let format = "capture-evidence-v1"

    /// The largest size of a document, in bytes.
    ///
    /// With the widest settings assertion, metadata and attestation have up to 96 KiB (16, 64 and 16), which is 128 KiB
    /// of base64; writers that escape each `/` in it may add half as much.
    public static let bytesMax = 256 * 1024

    /// Reads a document, either bare or under `data`, as a gateway answers with it.
    ///
    /// Unknown members are listed in ``unsignedMembers``.
    ///
    /// - Throws: ``EvidenceError`` when the bytes are no such document, have a value out of range, a member twice, or two
    ///   members that the record never has beside each other; another ``format`` is found before its members are looked
    ///   at.
    public init(json: [UInt8]) throws(EvidenceError) {
        guard json.count <= Self.bytesMax else {
            throw EvidenceError(.tooLarge, "more than \(Self.bytesMax) bytes")
        }
        let members = try DocumentMembers(of: json)
        let document: EvidenceDocument
        do {
            document = try JSONDecoder().decode(EvidenceDocument.self, from: Data(members.document))
        } catch let fault as EvidenceError {
            throw fault
        } catch let fault as DecodingError {
            throw EvidenceError(fault)
        } catch {
            // Impossible: the decoder and our own types throw nothing else.
            throw EvidenceError(.malformed, "not a document of \(Self.format)")
        }
        self = try document.evidence()
        unknownMembers = members.unknown
    }

    /// Writes the document; unknown values are `null`.
    ///
    /// Checks and reasons of a newer release are written as they came. Members that this release does not know are left
    /// out: whoever hands a whole document on, hands on its bytes.
    public func encode(to encoder: any Encoder) throws {
        try EvidenceDocument(self).encode(to: encoder)
    }
}
