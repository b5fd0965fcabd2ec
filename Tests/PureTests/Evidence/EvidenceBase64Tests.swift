import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import Testing

/// The bytes of a document: the program and the library accept one form of base64, and refuse every other.
@Suite(.timeLimit(.minutes(1))) struct `Base64 of evidence` {
    /// The same bytes with more padding, and with a bit after the last byte where there is room for one.
    private static func otherForms(of text: String) throws -> [String] {
        let forms = [text + "=", text + "===="]
        guard let padding = text.firstIndex(of: "=") else { return forms }
        let digit = try #require(text[..<padding].utf8.last)
        // Its lowest bits are zero; in ASCII the digit that stands for one more is the next one.
        let next = Character(Unicode.Scalar(digit + 1))
        return forms + [String(text[..<padding].dropLast()) + String(next) + String(text[padding...])]
    }

    @Test(arguments: ["assertion", "metadata", "key_id", "public_key", "attestation_object", "client_data_hash"])
    func `an evidence document has its bytes in one form of base64, as both readers have it`(_ member: String)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(fixture.evidence(of: signed)))
        var document = try #require(object as? [String: Any])
        var key = try #require(document["key"] as? [String: Any])
        let isOfKey = document[member] == nil
        let text = try #require((isOfKey ? key[member] : document[member]) as? String)
        for form in try Self.otherForms(of: text) {
            if isOfKey { key[member] = form } else { document[member] = form }
            document["key"] = key
            let json = Array(try JSONSerialization.data(withJSONObject: document))
            let fault = #expect(throws: EvidenceError.self) { try CaptureEvidence(json: json) }
            #expect(fault?.code == .memberInvalid)
            let place = isOfKey ? "key.\(member)" : member
            #expect(fault?.description == "\(place) is not base64 in its one form")
            let found = try await `Evidence by hand`.check(
                json, photo: signed.capture.photo, depth: signed.capture.depthMap)
            #expect(found.exitCode == 1 && found.failed.count == 1, "\(found.output)")
            #expect(found.failed.first?.hasPrefix("it cannot be read: ") == true, "\(found.output)")
        }
    }
}
