import CaptureModel
import DeviceSimulator
import Evidence
import TestSupport
import Testing

/// The reasons that a page has to tell apart: something is missing, and nothing is wrong.
@Suite struct `Incomplete evidence` {
    /// Each reason that names what is missing, and the verdict where nothing else is.
    private static let cases: [(EvidenceFindings.Finding.Code, EvidenceFindings.Verdict)] = [
        (.bytesNeeded, .incomplete), (.notAttested, .incomplete), (.keyMissing, .incomplete),
        (.notEvaluated, .incomplete), (.notGiven, .accepted), (.notSigned, .accepted),
    ]

    private func findings(_ code: EvidenceFindings.Finding.Code) throws -> EvidenceFindings {
        let fixture = try EvidenceFixture()
        let verifier = try fixture.verifier()
        let signed = try fixture.signed(code == .bytesNeeded || code == .notSigned ? .concatV1 : .framedV2)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        switch code {
        case .bytesNeeded, .notGiven:
            return verifier.verify(fixture.evidence(of: signed))
        case .notAttested:
            let registration = EvidenceFixture.registration(fixture.phone, .unverified, nil, nil, at: fixture.now)
            return verifier.verify(fixture.evidence(of: signed, by: registration), photo: photo, depth: depth)
        case .keyMissing:
            let whole = fixture.evidence(of: signed, counter: nil) { $0.reject(.deviceUnknown) }
            let evidence = CaptureEvidence(
                result: whole.result, assertion: whole.assertion, metadata: whole.metadata, key: nil)
            return verifier.verify(evidence, photo: photo, depth: depth)
        case .notEvaluated:
            return verifier.verify(fixture.evidence(of: signed, counter: nil), photo: photo, depth: depth)
        default:
            return verifier.verify(fixture.evidence(of: signed), photo: photo, depth: depth)
        }
    }

    @Test(arguments: cases)
    func `incomplete evidence is that of these reasons, and of no others that name what is missing`(
        code: EvidenceFindings.Finding.Code, verdict: EvidenceFindings.Verdict
    ) throws {
        let findings = try findings(code)
        #expect(findings.verdict == verdict && findings.findings.contains { $0.code == code })
        #expect(!findings.findings.contains { $0.outcome == .fail })
    }

    /// Without the photo `framed-v2` is accepted: nobody has compared one that is shown.
    @Test func `incomplete evidence has in Evidence.md the reasons for which it is incomplete`() throws {
        let text = try Repository.text("Sources/Evidence/Evidence.docc/Evidence.md")
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let start = try #require(text.firstRange(of: "Show `incomplete` as"))
        let rest = text[start.upperBound...]
        let end = try #require(rest.firstRange(of: "`rejected` means"))
        let named = Set(rest[..<end.lowerBound].matches(of: /`([A-Z_]+)`/).map { String($0.output.1) })
        #expect(named == Set(Self.cases.filter { $0.1 == .incomplete }.map(\.0.rawValue)))
        #expect(text.contains("only if the step `photo` is `pass`"))
    }
}
