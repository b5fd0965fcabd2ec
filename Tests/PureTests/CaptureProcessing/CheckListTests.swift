@testable import CaptureProcessing
import CaptureModel
import DeviceSimulator
import Testing

@Suite("What checks add up to")
struct CheckListTests {
    private func findings(_ changes: [Check]) -> CheckList {
        var findings = CheckList(checks: Check.Name.allCases.filter { $0 != .counter }.map { Check($0, .pass) })
        for change in changes { findings.add(change) }
        return findings
    }

    @Test func `an unverified device is capped at medium`() {
        #expect(findings([]).confidence(of: .secureEnclave) == .high)
        #expect(findings([]).confidence(of: .unverified) == .medium)
    }

    @Test func `each warning lowers the confidence by a step and rejects nothing`() {
        let one = findings([Check(.timestamp, .fail, .timestampSkew)])
        #expect(one.rejection == nil)
        #expect(one.confidence(of: .secureEnclave) == .medium)
        let two = findings([
            Check(.timestamp, .fail, .timestampSkew), Check(.photoStructure, .fail, .photoTrailingData),
        ])
        #expect(two.confidence(of: .secureEnclave) == .low)
        #expect(two.confidence(of: .unverified) == .low)
    }

    @Test(arguments: [Reason.depthPlanar, .depthFramedPlane])
    func `a scene that may be a picture of a picture warns`(reason: Reason) {
        let warned = findings([Check(.depthPlausibility, .fail, reason)])
        #expect(warned.rejection == nil && warned.passed(.depthPlausibility))
        #expect(warned.confidence(of: .secureEnclave) == .medium)
    }

    @Test func `what a rollout only watches lowers nothing, and what it enforces rejects`() {
        let watched = findings([Check(.rollout, .fail, .rolloutWouldReject)])
        #expect(watched.rejection == nil && watched.confidence(of: .secureEnclave) == .high)
        #expect(findings([Check(.rollout, .fail, .osVersionNotAllowed)]).rejection == .osVersionNotAllowed)
    }

    @Test(arguments: [Reason.internal, .depthSparse, .depthUnclear, .depthShapeUnknown, .riskUnknown])
    func `missing evidence lowers the ceiling and is no failure`(reason: Reason) {
        let missing = findings([Check(.depthDecode, .unavailable, reason)])
        #expect(missing.rejection == nil)
        #expect(missing.confidence(of: .secureEnclave) == .medium)
    }

    @Test func `what there is nothing to evaluate for costs nothing`() {
        let unevaluated = findings([Check(.depthPlausibility, .unavailable, .notEvaluated)])
        #expect(unevaluated.confidence(of: .secureEnclave) == .high)
    }

    @Test func `checks are listed in the order of their names, each name once, however they came`() {
        var generator = SeededGenerator(seed: 1)
        #expect(Check.Name.allCases.sorted() == Check.Name.allCases)
        for _ in 0..<100 {
            var findings = CheckList(checks: Check.Name.allCases.shuffled(using: &generator).map { Check($0, .pass) })
            findings.note(.timestamp, against: .timestampSkew)
            #expect(findings.inOrder.map(\.name) == Check.Name.allCases)
            #expect(findings.inOrder.filter { $0.outcome == .fail }.map(\.name) == [.timestamp])
            #expect(findings.passed(.timestamp) && findings.passed(.device))
        }
        #expect(!CheckList(checks: []).passed(.device))
    }

    @Test func `the first failed check that decides is the reason`() {
        let failed = findings([
            Check(.depthDecode, .fail, .depthMalformed), Check(.assertion, .fail, .signatureInvalid),
            Check(.timestamp, .fail, .timestampSkew),
        ])
        #expect(failed.rejection == .signatureInvalid)
    }
}
