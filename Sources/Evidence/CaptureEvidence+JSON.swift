import CaptureModel
import FoundationEssentials

/// Why bytes are no evidence.
public struct EvidenceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, for people; it never repeats input.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension CaptureEvidence: Encodable {
    /// What the document says that it is; another form gets another name.
    public static let format = "capture-evidence-v1"

    /// Bytes of a document at the most.
    ///
    /// Assertion, metadata and attestation have up to 96 KiB at the widest settings (16, 64 and 16), which is 128 KiB
    /// of base64; writers that escape each `/` in it may add half as much.
    public static let bytesMax = 256 * 1024

    /// Reads a document, bare or as a gateway answers with it, under `data`.
    ///
    /// Members that are not known are noted: see ``unsignedMembers``.
    ///
    /// - Throws: ``EvidenceError`` for what is no such document, has a value out of range, or a member twice.
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

    /// Writes the document; what is not known is `null`.
    public func encode(to encoder: any Encoder) throws {
        try EvidenceDocument(self).encode(to: encoder)
    }
}
