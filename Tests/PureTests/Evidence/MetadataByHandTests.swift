import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import Testing

/// Metadata with a good signature: the program and ``EvidenceVerifier`` refuse the same of them.
@Suite(.timeLimit(.minutes(1))) struct `Signed metadata by hand` {
    /// An object with a value in so many arrays, one in another.
    private static func nested(_ count: Int) -> String {
        "{\"a\":\(String(repeating: "[", count: count))\(String(repeating: "]", count: count))}"
    }

    /// An object with one member, whose name has so many bytes.
    private static func named(_ count: Int) -> String { "{\"\(String(repeating: "a", count: count))\":1}" }

    /// What the program says of these metadata, and what the verifier says of them.
    private func check(_ metadata: String) async throws -> (exitCode: Int32, failed: [String], reason: String?) {
        let fixture = try EvidenceFixture()
        var capture = try fixture.signed(.framedV2).capture
        capture.metadata = Array(metadata.utf8)
        let signed = try CaptureSigner(device: fixture.phone, binding: .framedV2).sign(capture)
        // The first capture had counter 1.
        let evidence = fixture.evidence(of: signed, counter: 2)
        let found = try await `Evidence by hand`.check(
            Array(try JSONEncoder().encode(evidence)), photo: capture.photo, depth: capture.depthMap)
        let findings = try fixture.verifier().verify(evidence, photo: capture.photo, depth: capture.depthMap)
        return (found.exitCode, found.failed, findings.reasons[.metadata])
    }

    @Test(
        arguments: [
            (#"{"captured_at":1,"captured_at":2}"#, "a member is there twice"),
            // One letter, and the same one composed of two.
            ("{\"captured_at\":1,\"\u{E9}\":1,\"e\u{301}\":2}", "a member is there twice"),
            (#"{"a":["\ud800"]}"#, "a text has half a surrogate pair"),
            (#"{"\udc00":1}"#, "a text has half a surrogate pair"),
            (#"{"n":1e999}"#, "a number is too large"),
            (#"{"n":-\#(String(repeating: "9", count: 310))}"#, "a number is too large"),
            (nested(64), "nested too deep"),
            (named(129), "a member's name has more than 128 bytes"),
            (#"{"\#(String(repeating: #"\u0061"#, count: 22))":1}"#, "a member's name has more than 128 bytes"),
        ] as [(String, String)])
    func `evidence by hand takes no text that not all readers read alike`(metadata: String, fault: String) async throws
    {
        let found = try await check(metadata)
        #expect(found.exitCode == 1 && found.failed == ["it cannot be read: \(fault)"])
        #expect(found.reason == "METADATA_MALFORMED")
    }

    @Test(arguments: [
        nested(63), named(128), "{\"a\":\"\(String(repeating: "b", count: 300))\"}", #"{"a":"[{\"[{\":"}"#,
    ])
    func `evidence by hand takes names and nesting up to their bounds, and brackets in a text`(metadata: String)
        async throws
    {
        let found = try await check(metadata)
        #expect(found.exitCode == 0 && found.failed == [] && found.reason == nil)
    }
}
