import PercentEncoding
import Testing

@Suite("Percent-encoded text")
struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("plain+text", "plain+text"), ("a%20b", "a b"), ("%e2%9C%93", "✓"), ("%2525", "%25"), ("%41%", "A%"),
        ("%4", "%4"), ("%+5%-1% 7%0x", "%+5%-1% 7%0x"), ("%%41", "%A"), ("%４１", "%４１"),
    ])
    func `percent-encoded text stands for its bytes, and a sign without two digits for itself`(
        text: String, told: String
    ) {
        let (bytes, isWhole) = PercentEncoding.decode(text.utf8)
        #expect(String(decoding: bytes, as: UTF8.self) == told)
        #expect(isWhole == (text == "%2525" || !told.contains("%")))
    }

    @Test(arguments: [
        ("az-AZ_0.9", "az-AZ_0.9"), ("a b+c", "a%20b%2Bc"), ("\n&=%~", "%0A%26%3D%25%7E"), ("✓", "%E2%9C%93"),
    ])
    func `percent-encoded text is written with every byte that is not plain in two digits, and read back`(
        text: String, written: String
    ) {
        #expect(PercentEncoding.encode(text) == written)
        #expect(PercentEncoding.decode(written.utf8) == (Array(text.utf8), true))
    }

    @Test func `percent-encoded text is read back for every byte, in digits of either case`() {
        for byte in UInt8.min...UInt8.max {
            let digits = "0123456789abcdef".map(String.init)
            let text = "%" + digits[Int(byte >> 4)] + digits[Int(byte & 15)].uppercased()
            #expect(PercentEncoding.decode(text.utf8) == ([byte], true))
        }
    }
}
