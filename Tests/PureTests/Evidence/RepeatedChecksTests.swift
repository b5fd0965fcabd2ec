import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

/// What somebody else can do again of a verdict, and what stays the record's word.
@Suite struct `What verifying evidence repeats of a verdict` {
    /// Not at all, or not as a whole.
    private static let notRepeated: Set<Check.Name> = [
        .device, .counter, .photoStructure, .photoHash, .depthDecode, .depthPlausibility, .timestamp, .metadata, .risk,
        .rollout,
    ]

    /// The rows of the table in Evidence.md: a check, and whether it is repeated.
    private static func rows() throws -> [(name: String, repeated: String)] {
        let lines = try Repository.text("Sources/Evidence/Evidence.docc/Evidence.md").split(separator: "\n")
        let heading = try #require(lines.firstIndex { $0.hasPrefix("| a result's check | repeated |") })
        return lines[(heading + 2)...].prefix { $0.hasPrefix("|") }.compactMap { line in
            line.firstMatch(of: /^\| `([a-z_]+)` \| (yes|in part|no)\b/).map {
                (name: String($0.output.1), repeated: String($0.output.2))
            }
        }
    }

    @Test func `verifying evidence repeats the assertion's check, and the table in Evidence.md names each other one`()
        throws
    {
        let rows = try Self.rows()
        #expect(rows.map(\.name) == Check.Name.allCases.map(\.rawValue))
        let others = rows.filter { $0.repeated != "yes" }.map(\.name)
        #expect(Set(others) == Set(Self.notRepeated.map(\.rawValue)))
        #expect(Set(Check.Name.allCases) == Self.notRepeated.union([.assertion]))
    }

    /// An attested key has signed it, and that is all that is found out.
    @Test func `verifying evidence repeats none of the media's checks: what fails them all is accepted`() throws {
        let fixture = try EvidenceFixture()
        let metadata = #"{"captured_at":"1999-01-01T00:00:00Z","photo_hash":"00","depth_map_dimensions":[1,1]}"#
        let capture = SyntheticCapture(
            photo: Array("no JPEG".utf8), depthMap: [1], metadata: Array(metadata.utf8))
        let signed = try CaptureSigner(device: fixture.phone, binding: .framedV2).sign(capture)
        let evidence = fixture.evidence(of: signed) { result in
            result.verdict = .rejected
            result.reason = .photoMalformed
            result.confidence = .none
            result.checks = Self.notRepeated.sorted().map { Check($0, .fail, .photoMalformed) }
        }
        let findings = try fixture.verifier().verify(evidence, photo: capture.photo, depth: capture.depthMap)
        #expect(findings.verdict == .accepted && findings.reasons.isEmpty)
    }
}
