import CaptureModel

extension ChecksJSON {
    /// A check as it was kept; `nil` stands for a value of a newer release that this one does not know.
    struct Entry: Decodable {
        let outcome: Check.Outcome?
        let reason: Reason?
        let ruling: RolloutRuling?
        let moment: Int64?
        let metric: Int?
        let warning: Int?

        private enum CodingKeys: String, CodingKey {
            case outcome, reason, ruling, metric, warning
            case moment = "at"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            outcome = Check.Outcome(rawValue: try container.decode(String.self, forKey: .outcome))
            reason = try container.decodeIfPresent(String.self, forKey: .reason).map(Reason.init(recorded:))
            // A ruling in a newer release's words is left out, and the check stays.
            ruling = try? container.decodeIfPresent(RolloutRuling.self, forKey: .ruling)
            moment = try? container.decodeIfPresent(Int64.self, forKey: .moment)
            metric = try? container.decodeIfPresent(Int.self, forKey: .metric)
            warning = try? container.decodeIfPresent(Int.self, forKey: .warning)
        }
    }
}
