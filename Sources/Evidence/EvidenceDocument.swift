/// The decoded document, unverified.
struct EvidenceDocument: Codable {
    struct Result: Codable {
        var captureID: String
        var deviceID: String
        var verdict: String
        var reason: String?
        var confidence: String
        var counter: UInt32?
        var binding: String
        var photo: String
        var depth: String
        var metadata: String
        /// Missing in documents of releases that did not store it.
        var clientDataHash: String?
        var receivedAt: String
        var settledAt: String
        /// This and the three that follow are missing in documents of releases that did not write them.
        var compromisedSince: String?
        var checks: [RecordedCheck]?
        var counterPolicy: String?
        var processorVersion: String?

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

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(captureID, forKey: .captureID)
            try container.encode(deviceID, forKey: .deviceID)
            try container.encode(verdict, forKey: .verdict)
            try container.encode(reason, forKey: .reason)
            try container.encode(confidence, forKey: .confidence)
            try container.encode(counter, forKey: .counter)
            try container.encode(binding, forKey: .binding)
            try container.encode(photo, forKey: .photo)
            try container.encode(depth, forKey: .depth)
            try container.encode(metadata, forKey: .metadata)
            try container.encode(clientDataHash, forKey: .clientDataHash)
            try container.encode(receivedAt, forKey: .receivedAt)
            try container.encode(settledAt, forKey: .settledAt)
            try container.encode(compromisedSince, forKey: .compromisedSince)
            try container.encode(checks, forKey: .checks)
            try container.encode(counterPolicy, forKey: .counterPolicy)
            try container.encode(processorVersion, forKey: .processorVersion)
        }
    }

    struct Key: Codable {
        var keyID: Base64Bytes
        var publicKey: Base64Bytes?
        var registeredAt: String
        var attestation: Base64Bytes?
        var clientDataHash: Base64Bytes?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case keyID = "key_id"
            case publicKey = "public_key"
            case registeredAt = "registered_at"
            case attestation = "attestation_object"
            case clientDataHash = "client_data_hash"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(keyID, forKey: .keyID)
            try container.encode(publicKey, forKey: .publicKey)
            try container.encode(registeredAt, forKey: .registeredAt)
            try container.encode(attestation, forKey: .attestation)
            try container.encode(clientDataHash, forKey: .clientDataHash)
        }
    }

    var format: String
    var result: Result
    var assertion: Base64Bytes
    /// Null or missing where somebody left the metadata out before handing the document on.
    var metadata: Base64Bytes?
    var key: Key?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case format, result, assertion, metadata, key
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(format, forKey: .format)
        try container.encode(result, forKey: .result)
        try container.encode(assertion, forKey: .assertion)
        try container.encode(metadata, forKey: .metadata)
        try container.encode(key, forKey: .key)
    }
}
