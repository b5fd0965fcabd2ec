import AppAttest
import CaptureModel
import Testing

@Suite("What a record names a trust root by")
struct TrustedKeysTests {
    @Test func `what a record names a trust root by tells the root's certificate, whatever the root calls itself`() {
        let root = TrustRoot.appleAppAttestation
        #expect(Device.trustRootDigest(in: root.recordedName) == root.sha256)
        let pretentious = "a sha256:\(TrustRoot.appleRootG3.sha256) sha256:\(root.sha256)"
        #expect(Device.trustRootDigest(in: pretentious) == root.sha256)
        #expect(Device.trustRootDigest(in: " sha256:\(root.sha256)") == root.sha256)
    }

    @Test(arguments: ["", "TEST ONLY", "Root sha256:00", "sha256:\(TrustRoot.appleAppAttestation.sha256)"])
    func `what a record names a trust root by names none that is not written so`(text: String) {
        #expect(Device.trustRootDigest(in: text) == nil)
    }
}
