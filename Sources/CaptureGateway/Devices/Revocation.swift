import CaptureStore

/// The JSON of a revocation as it came.
struct RevocationRequest: Decodable {
    var reason: String
    var compromisedSince: String?

    enum CodingKeys: String, CodingKey {
        case reason
        case compromisedSince = "compromised_since"
    }
}

/// What a revocation has come to, as JSON.
struct RevocationAnswer: Encodable, Sendable {
    var deviceID: String
    var revokedAt: String
    var affectedResults: Int
    /// Whether that is where counting ended.
    var isAffectedOrMore: Bool

    init(deviceID: String, revokedAt: String, affectedResults: Int) {
        (self.deviceID, self.revokedAt, self.affectedResults) = (deviceID, revokedAt, affectedResults)
        isAffectedOrMore = affectedResults >= DeviceTally.countMax
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case revokedAt = "revoked_at"
        case affectedResults = "affected_results"
        case isAffectedOrMore = "affected_results_or_more"
    }
}
