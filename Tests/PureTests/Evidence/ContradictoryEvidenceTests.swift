import CaptureModel
import Evidence
import Testing

/// Whoever changes one member of a document leaves others that tell of it: the program and the library refuse the same.
@Suite(.timeLimit(.minutes(1))) struct `Contradictory evidence` {
    typealias Change = EvidenceChange

    /// Changes of the evidence of a verified capture, and what they contradict.
    private static let changesOfVerified: [([Change], String)] = [
        ([Change("result.reason", "COUNTER_REPLAY")], "result.reason contradicts result.verdict"),
        ([Change("result.verdict", "rejected")], "result.reason contradicts result.verdict"),
        ([Change("result.confidence", "none")], "result.confidence contradicts result.verdict"),
        (
            [Change("result.verdict", "rejected"), Change("result.reason", "COUNTER_REPLAY")],
            "result.confidence contradicts result.verdict"
        ),
        (
            [
                Change("result.verdict", "rejected"), Change("result.reason", "COUNTER_REPLAY"),
                Change("result.confidence", "none"),
            ],
            "result.checks contradicts result.verdict"
        ),
        ([Change("result.counter", nil)], "result.counter contradicts result.verdict"),
        ([Change("result.counter", 0)], "result.counter contradicts result.verdict"),
        ([Change("key", nil)], "key contradicts result.verdict"),
        ([Change("key.attestation_object", nil)], "key.client_data_hash contradicts key.attestation_object"),
        ([Change("key.client_data_hash", nil)], "key.client_data_hash contradicts key.attestation_object"),
        (
            [Change("key.attestation_object", nil), Change("key.client_data_hash", nil)],
            "result.confidence contradicts key.attestation_object"
        ),
        (
            [Change("result.compromised_since", "2027-01-15T08:00:00.001Z")],
            "result.compromised_since contradicts result.received_at"
        ),
    ]

    private static let counter = ["name": "counter", "outcome": "pass"]

    /// Checks of a verified capture, and what is wrong with them.
    private static let changesOfChecks: [([[String: String]], String)] = [
        ([], "result.checks has no counter"),
        ([["name": "assertion", "outcome": "pass"]], "result.checks has no counter"),
        ([counter, ["name": "counter", "outcome": "fail"]], "result.checks has a check twice"),
        (
            [counter, ["name": "brand_new", "outcome": "pass"], ["name": "brand_new", "outcome": "fail"]],
            "result.checks has a check twice"
        ),
        ([["name": "counter", "outcome": "fail"]], "result.checks contradicts result.verdict"),
        ([["name": "counter", "outcome": "unavailable"]], "result.checks contradicts result.verdict"),
        ([counter, ["name": "assertion", "outcome": "fail"]], "result.checks contradicts result.verdict"),
        ([counter, ["name": "assertion", "outcome": "unavailable"]], "result.checks contradicts result.verdict"),
    ]

    private func expect(
        _ evidence: CaptureEvidence, with changes: [Change], toBeRefusedFor fault: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let json = try evidence.json(with: changes)
        let found = try await `Evidence by hand`.check(json, photo: nil, depth: nil)
        guard let fault else {
            #expect(throws: Never.self, sourceLocation: sourceLocation) { try CaptureEvidence(json: json) }
            #expect(!found.output.contains("cannot be read"), "\(found.output)", sourceLocation: sourceLocation)
            return
        }
        let error = #expect(throws: EvidenceError.self, sourceLocation: sourceLocation) {
            try CaptureEvidence(json: json)
        }
        #expect(error?.code == .memberInvalid && error?.description == fault, sourceLocation: sourceLocation)
        #expect(found.exitCode == 1 && found.failed == ["it cannot be read: \(fault)"], sourceLocation: sourceLocation)
    }

    @Test(arguments: changesOfVerified)
    func `contradictory evidence of a verified capture is refused by its members`(
        changes: [Change], fault: String
    ) async throws {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2))
        try await expect(evidence, with: changes, toBeRefusedFor: fault)
    }

    @Test(arguments: changesOfChecks)
    func `contradictory evidence is refused for its checks`(checks: [[String: String]], fault: String) async throws {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2))
        try await expect(evidence, with: [Change("result.checks", checks)], toBeRefusedFor: fault)
    }

    @Test(
        arguments: [
            ([Change("result.verdict", "verified")], "result.reason contradicts result.verdict"),
            ([Change("result.reason", nil)], "result.reason contradicts result.verdict"),
            ([Change("result.confidence", "high")], "result.confidence contradicts result.verdict"),
            ([Change("result.checks", [counter])], "result.checks contradicts result.verdict"),
        ] as [([Change], String)])
    func `contradictory evidence of a rejected capture is refused by its members`(
        changes: [Change], fault: String
    ) async throws {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2)) { $0.reject(.photoHashMismatch) }
        try await expect(evidence, with: changes, toBeRefusedFor: fault)
    }

    /// What the record does write, rare as it may be.
    @Test(
        arguments: [
            // The counter of a good signature is known, whatever rejects the capture then.
            [Change("result.counter", 0), Change("result.reason", "COUNTER_STALE")],
            [
                Change("result.reason", "DEVICE_REVOKED"),
                Change(
                    "result.checks",
                    [["name": "assertion", "outcome": "pass"], ["name": "counter", "outcome": "unavailable"]]),
            ],
            // A device that was never registered, or is registered by now with no key that is known.
            [Change("key", nil), Change("result.counter", nil), Change("result.reason", "DEVICE_UNKNOWN")],
            [
                Change("key.public_key", nil), Change("key.attestation_object", nil),
                Change("key.client_data_hash", nil), Change("result.counter", nil),
            ],
            // Clocks that are set back between receipt and decision.
            [Change("result.settled_at", "2020-01-01T00:00:00Z")],
            // The moment itself counts.
            [Change("result.compromised_since", "2027-01-15T08:00:00Z")],
            // Of a newer release.
            [
                Change("result.reason", "BRAND_NEW"),
                Change("result.checks", [["name": "counter", "outcome": "brand-new"]]),
            ],
        ] as [[Change]])
    func `contradictory evidence is none that the record writes of a rejected capture`(changes: [Change]) async throws {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2)) { $0.reject(.photoHashMismatch) }
        try await expect(evidence, with: changes, toBeRefusedFor: nil)
    }

    @Test(
        arguments: [
            // Accepted within a window.
            [
                Change("result.counter_policy", "window(64)"),
                Change(
                    "result.checks",
                    [
                        ["name": "assertion", "outcome": "pass"],
                        ["name": "counter", "outcome": "pass", "reason": "COUNTER_OUT_OF_ORDER"],
                    ]),
            ],
            [
                Change("result.confidence", "low"),
                Change("result.checks", [counter, ["name": "photo_structure", "outcome": "fail"]]),
            ],
            [Change("result.checks", [counter, ["name": "assertion", "outcome": "brand-new"]])],
            // Nobody vouches for the key.
            [
                Change("result.confidence", "medium"), Change("key.attestation_object", nil),
                Change("key.client_data_hash", nil),
            ],
            [Change("result.compromised_since", "2027-01-15T08:00:00Z")],
            // Clocks that were set back, or are not the same.
            [Change("key.registered_at", "2027-01-15T08:00:01Z")],
        ] as [[Change]])
    func `contradictory evidence is none that the record writes of a verified capture`(changes: [Change]) async throws {
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2))
        try await expect(evidence, with: changes, toBeRefusedFor: nil)
    }
}
