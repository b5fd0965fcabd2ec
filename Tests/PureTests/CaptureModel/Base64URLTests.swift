import CaptureModel
import DeviceSimulator
import Foundation
import Testing

@Suite("Base64 for names")
struct Base64URLTests {
    /// The same by way of Foundation, which has it with padding and another alphabet only.
    private static func reference(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    @Test func `base64 for names is base64 in the other alphabet and without padding, whatever the length`() {
        var generator = SeededGenerator(seed: 7)
        for count in 0...100 {
            let bytes = generator.bytes(count)
            #expect(Base64URL.encode(bytes) == Self.reference(bytes))
        }
    }

    @Test func `base64 for names writes the two characters that other base64 has not`() {
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    }
}
