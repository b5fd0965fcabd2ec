import CaptureModel
import FoundationEssentials

/// Why bytes are not evidence.
public struct EvidenceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, for people; it never repeats input.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

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
    /// - Throws: ``EvidenceError`` when the bytes are no such document, have a value out of range, or a member twice.
    public init(json: [UInt8]) throws(EvidenceError) {
        guard json.count <= Self.bytesMax else {
            throw EvidenceError("more than \(Self.bytesMax) bytes")
        }
        let members = try DocumentMembers(of: json)
        let decoder = JSONDecoder()
        let data = Data(json)
        let document: EvidenceDocument
        do {
            document =
                try members.isAnswer
                ? decoder.decode(EvidenceEnvelope.self, from: data).data
                : decoder.decode(EvidenceDocument.self, from: data)
        } catch {
            throw EvidenceError("not a document of \(Self.format)")
        }
        self = try document.evidence()
        unknownMembers = members.unknown
    }

    /// Writes the document; unknown values are `null`.
    public func encode(to encoder: any Encoder) throws {
        try EvidenceDocument(self).encode(to: encoder)
    }
}
