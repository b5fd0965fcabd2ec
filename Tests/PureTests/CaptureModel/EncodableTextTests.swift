import CaptureModel
import Foundation
import Testing

@Suite("Values of the model in JSON")
struct EncodableTextTests {
    private static let id = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode([value]), as: UTF8.self)
    }

    @Test func `values of the model in JSON are their text`() throws {
        let digest = SHA256Digest.hash([1])
        let (capture, device) = (try #require(CaptureID(Self.id)), try #require(DeviceID(Self.id)))
        let installation = try #require(InstallationID(Self.id))
        let key = try #require(KeyID(bytes: digest.bytes))
        #expect(try text(capture) == "[\"\(Self.id)\"]")
        #expect(try text(device) == "[\"\(Self.id)\"]")
        #expect(try text(installation) == "[\"\(Self.id)\"]")
        #expect(try text(key) == "[\"\(digest.hex)\"]")
        #expect(try text(digest) == "[\"\(digest.hex)\"]")
        #expect(try text(Timestamp(millisecondsSince1970: 0)) == "[\"1970-01-01T00:00:00.000Z\"]")
        #expect(try text(CounterPolicy.window(64)) == "[\"window(64)\"]")
    }

    @Test func `values of the model in JSON are null where there is none`() throws {
        #expect(try text(Timestamp?.none) == "[null]")
    }
}
