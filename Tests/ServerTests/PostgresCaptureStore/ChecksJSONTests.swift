import CaptureModel
import Foundation
import Testing

@testable import PostgresCaptureStore

@Suite("Checks as they are kept")
struct ChecksJSONTests {
    private static func ruling(
        _ mode: RolloutMode, bucket: Int = 17, os: String? = nil, bundle: String? = nil, category: Int? = nil,
        attested: (version: String?, category: Int?) = (nil, nil), unmet: [RolloutRequirement] = []
    ) -> RolloutRuling {
        RolloutRuling(
            policy: .hash([7]), mode: mode, bucket: bucket, bucketsWithin: 2500,
            facts: .init(
                osVersion: os, bundleVersion: bundle, validationCategory: category,
                attestedBundleVersion: attested.version, attestedValidationCategory: attested.category),
            unmet: unmet)
    }

    private static let claimedAt = Timestamp(microsecondsSince1970: 1_790_000_000_123_456)
    private static let claim = #""claim":{"outcome":"pass","at":1790000000123456}"#

    private static let rulings = [
        ruling(.enforce), ruling(.monitor, os: "26.2", bundle: "1314.0", category: 4),
        ruling(.monitor, os: "18.1", category: -1, unmet: [.osVersion]),
        ruling(.enforce, bucket: 9999, os: "18.1", bundle: "1", category: 255, unmet: RolloutRequirement.allCases),
        ruling(.enforce, os: #"",\"}]"#, bundle: "\u{0}\n\u{1F}é🂡\u{7F}/"),
        ruling(.enforce, bundle: "57", category: 3, attested: ("1314", 4), unmet: [.bundleVersionAttested]),
        ruling(.monitor, attested: (nil, 2)), ruling(.monitor, attested: (#"1"\"#, nil)),
    ]

    @Test(arguments: rulings)
    func `a ruling is kept as it encodes itself, and read back`(_ ruling: RolloutRuling) throws {
        let checks = [Check(.device, .pass), Check(.assertion, .fail, .signatureInvalid), ruling.check]
        let text = ChecksJSON.encode(checks, rollout: ruling, claimedAt: Self.claimedAt)
        let read = try #require(ChecksJSON.decode(text))
        #expect(read.rollout == ruling && read.checks == checks)
        let kept = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: Any]])
        let object = try #require(kept[Check.Name.rollout.rawValue]?["ruling"])
        let written = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(ruling))
        #expect(try written == JSONSerialization.data(withJSONObject: encoded, options: .sortedKeys))
    }

    @Test func `the risk that was judged is kept with its check, whatever releases know of it`() throws {
        let risk = JudgedRisk(
            DeviceRisk(metric: 12, at: Timestamp(microsecondsSince1970: 1_790_000_000_123_456)), warning: 5)
        let checks = [Check(.device, .pass), Check(.risk, .fail, .riskElevated)]
        let text = ChecksJSON.encode(checks, risk: risk, claimedAt: Self.claimedAt)
        let read = try #require(ChecksJSON.decode(text))
        #expect(read.risk == risk && read.checks == checks && read.claimedAt == Self.claimedAt)
        let kept = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: Any]])
        #expect(kept["risk"]?["outcome"] as? String == "fail" && kept["risk"]?["metric"] as? Int == 12)
        // As one that judged none has it, and a newer release may.
        for entry in [#"{"outcome":"pass"}"#, #"{"outcome":"pass","metric":"low","at":1,"warning":5}"#] {
            let other = try #require(ChecksJSON.decode(#"{"risk":\#(entry),\#(Self.claim)}"#))
            #expect(other.risk == nil && other.checks == [Check(.risk, .pass)])
        }
        // Where there is none it costs nothing.
        let bare = ChecksJSON.encode([Check(.risk, .pass)], claimedAt: Self.claimedAt)
        #expect(bare == #"{"risk":{"outcome":"pass"},\#(Self.claim)}"#)
    }

    @Test func `checks without a ruling have none`() throws {
        let checks = [Check(.device, .pass), Check(.rollout, .unavailable, .notEvaluated)]
        let read = try #require(ChecksJSON.decode(ChecksJSON.encode(checks, claimedAt: Self.claimedAt)))
        #expect(read.rollout == nil && read.checks == checks)
    }

    @Test(arguments: [[], [Check(.device, .pass)]])
    func `when it was claimed is kept beside the checks, as a check that nobody knows`(_ checks: [Check]) throws {
        let text = ChecksJSON.encode(checks, claimedAt: Self.claimedAt)
        let read = try #require(ChecksJSON.decode(text))
        #expect(read.claimedAt == Self.claimedAt && read.checks == checks)
        #expect(ChecksJSON.decode(#"{"device":{"outcome":"pass"}}"#) == nil)
        // What every release asks of an entry, known or not.
        let kept = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: Any]])
        #expect(kept.values.allSatisfy { $0["outcome"] as? String == "pass" })
    }

    @Test func `of a newer release's checks those that are known are read, whatever reasons they have`() throws {
        let text = #"""
            {\#(Self.claim),
            "rollout": {"outcome": "pass", "ruling": {"mode": "future_mode"}}, "future_check": {"outcome": "pass"},
            "metadata": {"outcome": "fail", "reason": "FUTURE_REASON"}, "timestamp": {"outcome": "future_outcome"},
            "device": {"outcome": "pass"}}
            """#
        let read = try #require(ChecksJSON.decode(text))
        #expect(
            read.checks == [Check(.device, .pass), Check(.metadata, .fail, .reasonUnknown), Check(.rollout, .pass)])
        #expect(read.rollout == nil)
    }
}
