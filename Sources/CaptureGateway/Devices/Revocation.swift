import CaptureStore

/// The JSON of a revocation as it came.
struct RevocationRequest: ClosedBody {
    var reason: String
    var compromisedSince: String?

    static let members = CodingKeys.allCases.map(\.rawValue)

    enum CodingKeys: String, CodingKey, CaseIterable {
        case reason
        case compromisedSince = "compromised_since"
    }
}

/// What a revocation has come to, as JSON.
struct RevocationAnswer: Encodable, Sendable {
    var deviceID: String
    /// `nil` where the record could not be asked any more.
    var revokedAt: String?
    /// `nil` where the results could not be counted.
    var affectedResults: Int?
    /// Whether counting stopped at this number.
    var isAffectedOrMore: Bool

    init(deviceID: String, revokedAt: String?, affectedResults: Int?) {
        (self.deviceID, self.revokedAt, self.affectedResults) = (deviceID, revokedAt, affectedResults)
        isAffectedOrMore = (affectedResults ?? 0) >= DeviceTally.countMax
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case revokedAt = "revoked_at"
        case affectedResults = "affected_results"
        case isAffectedOrMore = "affected_results_or_more"
    }
}
