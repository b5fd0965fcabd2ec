import CaptureModel
import Testing

@Suite("What a software key signs to be registered")
struct RegistrationMessageTests {
    @Test func `what a software key signs to be registered is the purpose and the challenge in digits`() {
        let message = RegistrationMessage.bytes(challenge: Array(0xF0...0xFF) + Array(0...0x0F))
        let digits = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff000102030405060708090a0b0c0d0e0f"
        #expect(String(decoding: message, as: UTF8.self) == "capture-registration v1|" + digits)
    }
}
