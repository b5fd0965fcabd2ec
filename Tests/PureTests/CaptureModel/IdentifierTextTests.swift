import CaptureModel
import DeviceSimulator
import Foundation
import Testing

@Suite("The text of ids")
struct IdentifierTextTests {
    private static func uuid(_ generator: inout SeededGenerator) -> UUID {
        let high = generator.next()
        let low = generator.next()
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { bytes in
            bytes.storeBytes(of: high, as: UInt64.self)
            bytes.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: uuid)
    }

    @Test func `ids are written and read as Foundation writes and reads UUIDs`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let uuid = Self.uuid(&generator)
            let text = CaptureID(uuid).description
            #expect(text == uuid.uuidString.lowercased())
            #expect(CaptureID(text)?.uuid == uuid)
            #expect(DeviceID(uuid.uuidString)?.uuid == uuid)
            #expect(DeviceID(text.dropFirst(0))?.description == text)
        }
    }

    @Test func `a text with a character that does not belong there is no id`() {
        let text = Array("0f8fad5b-d9cb-469f-a165-70867728950e".utf8)
        for place in text.indices {
            let isHyphen = text[place] == UInt8(ascii: "-")
            for byte in UInt8(1)..<128 {
                var changed = text
                changed[place] = byte
                let isAllowed = isHyphen ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
                let text = String(decoding: changed, as: UTF8.self)
                #expect((CaptureID(text) != nil) == isAllowed, "\(text)")
            }
        }
    }

    @Test(arguments: [
        "", "0", "0f8fad5b-d9cb-469f-a165-70867728950", "0f8fad5b-d9cb-469f-a165-70867728950e0",
        "0f8fad5bd9cb469fa16570867728950e", "{0f8fad5b-d9cb-469f-a165-70867728950}",
        "0f8fad5b-d9cb-469f-a165708-67728950e", "0f8fad5b-d9cb-469f-a165-7086772895é",
        " f8fad5b-d9cb-469f-a165-70867728950e",
        "+f8fad5b-d9cb-469f-a165-70867728950e", "0x8fad5b-d9cb-469f-a165-70867728950e",
    ])
    func `what has another form is no id`(text: String) {
        #expect(CaptureID(text) == nil)
        #expect(DeviceID(text) == nil)
    }

    @Test func `text that does not lie in one piece is read as well`() {
        let text = "0f8fad5b-d9cb-469f-a165-70867728950e"
        let bridged = NSString(string: text) as String
        #expect(CaptureID(bridged)?.description == text)
    }
}
