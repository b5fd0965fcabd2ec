import CaptureModel

/// The decoded document, unverified.
struct EvidenceDocument: Codable {
    struct Result: Codable {
        var captureID: String
        var deviceID: String
        var verdict: String
        @OrNull var reason: String?
        var confidence: String
        @OrNull var counter: RecordedCounter?
        var binding: String
        var photo: String
        var depth: String
        var metadata: String
        var clientDataHash: String
        var receivedAt: String
        var settledAt: String
        @OrNull var compromisedSince: String?
        var checks: [RecordedCheck]
        var counterPolicy: String
        var processorVersion: String

        enum CodingKeys: String, CodingKey, CaseIterable {
            case captureID = "capture_id"
            case deviceID = "device_id"
            case verdict, reason, confidence, counter, binding
            case photo = "photo_sha256"
            case depth = "depth_sha256"
            case metadata = "metadata_sha256"
            case clientDataHash = "client_data_sha256"
            case receivedAt = "received_at"
            case settledAt = "settled_at"
            case compromisedSince = "compromised_since"
            case checks
            case counterPolicy = "counter_policy"
            case processorVersion = "processor_version"
        }
    }

    struct Key: Codable {
        var keyID: Base64Bytes
        @OrNull var publicKey: Base64Bytes?
        var registeredAt: String
        @OrNull var attestation: Base64Bytes?
        @OrNull var clientDataHash: Base64Bytes?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case keyID = "key_id"
            case publicKey = "public_key"
            case registeredAt = "registered_at"
            case attestation = "attestation_object"
            case clientDataHash = "client_data_hash"
        }
    }

    var format: String
    var result: Result
    var assertion: Base64Bytes
    /// Null or missing where somebody left the metadata out before handing the document on.
    @OrNull var metadata: Base64Bytes?
    @OrNull var key: Key?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case format, result, assertion, metadata, key
    }
}
