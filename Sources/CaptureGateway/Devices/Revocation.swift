import CaptureStore

/// The JSON of a revocation as it came.
struct RevocationRequest: Decodable {
    var reason: String
    var compromisedSince: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case reason
        case compromisedSince = "compromised_since"
    }
}

extension RevocationRequest {
    /// Refuses unknown names: a moment whose name is misspelt would otherwise be passed over, and nothing be marked.
    init(from decoder: any Decoder) throws {
        let known = CodingKeys.allCases.map(\.rawValue)
        let given = try decoder.container(keyedBy: GivenName.self).allKeys.map(\.stringValue)
        if let unknown = given.filter({ !known.contains($0) }).min() {
            let known = known.joined(separator: ", ")
            throw APIError.invalid(String(unknown.prefix(64)), "is unknown; known fields: \(known)")
        }
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        reason = try fields.decode(String.self, forKey: .reason)
        compromisedSince = try fields.decodeIfPresent(String.self, forKey: .compromisedSince)
    }

    /// Any name of an object's field.
    private struct GivenName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
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
