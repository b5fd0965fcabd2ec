import CaptureModel
import Evidence
import Testing

/// The members of a document, whoever signed them: the program and the library want the same of them.
@Suite("The form of evidence by hand", .timeLimit(.minutes(1)))
struct EvidenceFormByHandTests {
    private static let needed = [
        "format", "assertion", "result", "result.capture_id", "result.device_id", "result.verdict", "result.confidence",
        "result.binding", "result.photo_sha256", "result.depth_sha256", "result.metadata_sha256",
        "result.client_data_sha256", "result.received_at", "result.settled_at", "result.checks",
        "result.counter_policy", "result.processor_version", "key.key_id", "key.registered_at",
    ]

    private static let values: [EvidenceChange] = [
        EvidenceChange("result.verdict", "VERIFIED"),
        EvidenceChange("result.confidence", "bogus"),
        EvidenceChange("result.received_at", "x"),
        EvidenceChange("result.received_at", "0000-01-01T00:00:00+23:59"),
        EvidenceChange("result.settled_at", "9999-12-31T23:59:59-23:59"),
        EvidenceChange("result.settled_at", "2026-02-30T00:00:00Z"),
        EvidenceChange("result.compromised_since", "2026-01-01T24:00:00Z"),
        EvidenceChange("key.registered_at", "2026-01-01T00:00:00+24:00"),
        EvidenceChange("result.checks", 0),
        EvidenceChange("result.checks", [1]),
        EvidenceChange("result.checks", [["name": 1, "outcome": 1]]),
        EvidenceChange("result.reason", 1),
        EvidenceChange("result.counter", true),
        EvidenceChange("result.counter", -1),
        EvidenceChange("result.counter", 1.5),
        EvidenceChange("result.counter", 4_294_967_296),
        EvidenceChange("result.capture_id", "0197f3a27f3e7a418c550d6c3c1f9e21"),
        EvidenceChange("result.device_id", ""),
        EvidenceChange("result.counter_policy", "window(0)"),
        EvidenceChange("result.counter_policy", "window(65537)"),
        EvidenceChange("result.processor_version", 1),
        EvidenceChange("result", "verified"),
        EvidenceChange("key", [1]),
        EvidenceChange("key.key_id", "AA=="),
        EvidenceChange("key.client_data_hash", "AA=="),
        EvidenceChange("metadata", 1),
    ]

    private func expectRefusal(
        _ json: [UInt8], _ code: EvidenceError.Code, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = #expect(throws: EvidenceError.self, sourceLocation: sourceLocation) {
            try CaptureEvidence(json: json)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        let found = try await `Evidence by hand`.check(json, photo: nil, depth: nil)
        #expect(found.exitCode == 1 && found.failed.count == 1, "\(found.output)", sourceLocation: sourceLocation)
        #expect(
            found.failed.first?.hasPrefix("it cannot be read: ") == true, "\(found.output)",
            sourceLocation: sourceLocation)
    }

    private func evidence() throws -> CaptureEvidence {
        let fixture = try EvidenceFixture()
        return fixture.evidence(of: try fixture.signed(.framedV2))
    }

    @Test(arguments: needed)
    func `evidence by hand is not read without a member that the library needs`(_ member: String) async throws {
        try await expectRefusal(evidence().json(with: [EvidenceChange(member, nil)]), .memberMissing)
    }

    @Test(arguments: values)
    func `evidence by hand is not read with a value that the library does not take`(_ change: EvidenceChange)
        async throws
    {
        try await expectRefusal(evidence().json(with: [change]), .memberInvalid)
    }

    @Test func `evidence by hand is not read if it is larger than the library takes`() async throws {
        let text = String(decoding: try evidence().json(with: []), as: UTF8.self)
        let spaces = String(repeating: " ", count: CaptureEvidence.bytesMax - text.utf8.count)
        let whole = try await `Evidence by hand`.check(Array((text + spaces).utf8), photo: nil, depth: nil)
        #expect(whole.exitCode == 0, "\(whole.output)")
        #expect(throws: Never.self) { try CaptureEvidence(json: Array((text + spaces).utf8)) }
        try await expectRefusal(Array((text + spaces + " ").utf8), .tooLarge)
    }

    @Test(arguments: ["", "result.", "key."])
    func `evidence by hand is not read with more unknown members than the library takes`(_ place: String) async throws {
        let more = (0..<65).map { EvidenceChange("\(place)more\($0)", 1) }
        try await expectRefusal(evidence().json(with: more), .membersTooMany)
        let most = try evidence().json(with: Array(more.dropLast()))
        let found = try await `Evidence by hand`.check(most, photo: nil, depth: nil)
        #expect(found.exitCode == 0, "\(found.output)")
        #expect(throws: Never.self) { try CaptureEvidence(json: most) }
    }

    @Test func `evidence by hand is not read with more unknown members of a check than the library takes`() async throws
    {
        func json(_ count: Int) throws -> [UInt8] {
            var check = ["name": "counter", "outcome": "pass"]
            for index in 0..<count { check["more\(index)"] = "x" }
            return try evidence().json(with: [EvidenceChange("result.checks", [check])])
        }
        try await expectRefusal(json(65), .membersTooMany)
        let found = try await `Evidence by hand`.check(json(64), photo: nil, depth: nil)
        #expect(found.exitCode == 0, "\(found.output)")
        let places = try CaptureEvidence(json: json(64)).unsignedMembers.filter { $0.hasPrefix("result.checks[") }
        #expect(Set(places) == Set((0..<64).map { "result.checks[0].more\($0)" }))
    }

    @Test func `evidence by hand is not read with more checks than the library takes`() async throws {
        let checks = (0..<65).map { ["name": $0 == 0 ? "counter" : "newer_\($0)", "outcome": "pass"] }
        try await expectRefusal(evidence().json(with: [EvidenceChange("result.checks", checks)]), .membersTooMany)
        let most = try evidence().json(with: [EvidenceChange("result.checks", Array(checks.dropLast()))])
        let found = try await `Evidence by hand`.check(most, photo: nil, depth: nil)
        #expect(found.exitCode == 0, "\(found.output)")
        let places = try CaptureEvidence(json: most).unsignedMembers.filter { $0.hasPrefix("result.checks[") }
        #expect(places == (1..<64).map { "result.checks[\($0)]" })
    }

    @Test func `evidence by hand is not read with a long text beyond ASCII`() async throws {
        func json(_ text: String) throws -> [UInt8] {
            let whole = String(decoding: try evidence().json(with: []), as: UTF8.self)
            return Array("\(whole.dropLast()),\"more\":\"\(text)\"}".utf8)
        }
        let long = String(repeating: "a", count: 1_023)
        for text in ["\(long)\u{E9}", "\(long)\\u00e9"] {
            try await expectRefusal(json(text), .malformed)
        }
        for text in ["\(long)aa", "\(long)\\u0061", "\(long)\\\\u00e9", String(repeating: "\u{E9}", count: 512)] {
            let found = try await `Evidence by hand`.check(json(text), photo: nil, depth: nil)
            #expect(found.exitCode == 0, "\(found.output)")
            #expect(throws: Never.self) { try CaptureEvidence(json: json(text)) }
        }
    }
}
