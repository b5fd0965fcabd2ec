#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes of a document in base64, in the one form that all readers accept.
///
/// Readers differ on more padding than the bytes need, and on bits after the last byte that are not zero: some accept
/// them, others refuse them.
struct Base64Bytes: Codable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else {
            throw EvidenceError(.memberInvalid, at: decoder.codingPath, "is not base64 in its one form")
        }
        bytes = Array(data)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes).base64EncodedString())
    }
}
