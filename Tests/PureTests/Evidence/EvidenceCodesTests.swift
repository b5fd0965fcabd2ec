import CaptureModel
import DeviceSimulator
import Evidence
import TestSupport
import Testing

/// The codes that pages which verify evidence tell apart: they can be named in code, and are in Evidence.md.
@Suite struct `The codes of evidence` {
    /// The codes in a column of the first table in Evidence.md whose heading begins so.
    private static func codes(ofTable heading: String, column: Int) throws -> Set<String> {
        let lines = try Repository.text("Sources/Evidence/Evidence.docc/Evidence.md").split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix(heading) })
        let cells = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            // The text before the first bar is empty.
            line.split(separator: "|", omittingEmptySubsequences: false)[column]
        }
        return Set(cells.flatMap { $0.matches(of: /`([A-Z_]+)`/).map { String($0.output.1) } })
    }

    @Test func `the codes of the steps are those that Evidence.md has`() throws {
        let codes = EvidenceFindings.Finding.Code.allCases.map(\.rawValue)
        #expect(try Self.codes(ofTable: "| step | check |", column: 3) == Set(codes))
    }

    @Test func `the codes of bytes that are no evidence are those that Evidence.md has`() throws {
        let codes = EvidenceError.Code.allCases.map(\.rawValue)
        #expect(try Self.codes(ofTable: "| code |", column: 1) == Set(codes))
    }

    @Test func `the codes of the steps have names, and those of the attestation and the assertion have others`() throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        func codes(_ findings: EvidenceFindings) -> [EvidenceFindings.Finding.Code?] { findings.findings.map(\.code) }
        let missing = try fixture.verifier().verify(fixture.evidence(of: signed))
        #expect(codes(missing) == [nil, nil, .notSigned, .bytesNeeded, .bytesNeeded, nil, nil])
        let other = try fixture.verifier(appID: "ABCDE12345.com.example.other").verify(
            fixture.evidence(of: signed), photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(other.reasons[.attestation] == "RP_ID_MISMATCH" && other.reasons[.assertion] == "RP_ID_MISMATCH")
        #expect(codes(other) == [nil, nil, .notSigned, nil, nil, nil, .notEvaluated])
    }
}
