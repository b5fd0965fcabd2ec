import CaptureModel
import FoundationEssentials

/// A gateway's answer with the document in it.
struct EvidenceEnvelope: Decodable {
    let data: EvidenceDocument
}

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
        var keyID: Data
        var publicKey: Data?
        var registeredAt: String
        var attestation: Data?
        var clientDataHash: Data?

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
    var assertion: Data
    /// Null or missing where somebody left the metadata out before handing the document on.
    var metadata: Data?
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

extension EvidenceDocument {
    init(_ evidence: CaptureEvidence) {
        format = CaptureEvidence.format
        result = Result(evidence.result)
        assertion = Data(evidence.assertion)
        metadata = evidence.metadata.map { Data($0) }
        key = evidence.key.map { Key($0) }
    }

    func evidence() throws(EvidenceError) -> CaptureEvidence {
        guard format.utf8.elementsEqual(CaptureEvidence.format.utf8) else {
            throw EvidenceError("not a document of \(CaptureEvidence.format)")
        }
        return CaptureEvidence(
            result: try result.validated(), assertion: Array(assertion), metadata: metadata.map { Array($0) },
            key: try key.map { key throws(EvidenceError) in try key.validated() })
    }
}

/// The value of a member; throws when it is out of range.
private func made<Value>(_ member: String, _ value: Value?) throws(EvidenceError) -> Value {
    guard let value else { throw EvidenceError("\(member) has a value out of range") }
    return value
}

extension EvidenceDocument.Result {
    init(_ result: CaptureEvidence.Result) {
        captureID = result.capture.description
        deviceID = result.device.description
        verdict = result.verdict.rawValue
        reason = result.reason?.rawValue
        confidence = result.confidence.rawValue
        counter = result.counter
        binding = result.binding.rawValue
        photo = result.photoDigest.hex
        depth = result.depthDigest.hex
        metadata = result.metadataDigest.hex
        clientDataHash = result.clientDataHash?.hex
        receivedAt = result.receivedAt.rfc3339
        settledAt = result.settledAt.rfc3339
        compromisedSince = result.compromisedSince?.rfc3339
        checks = result.checks?.map { RecordedCheck($0) }
        counterPolicy = result.counterPolicy?.description
        processorVersion = result.processorVersion
    }

    func validated() throws(EvidenceError) -> CaptureEvidence.Result {
        CaptureEvidence.Result(
            capture: try made("capture_id", CaptureID(captureID)), device: try made("device_id", DeviceID(deviceID)),
            verdict: try made("verdict", Verdict(word: verdict)), reason: reason.map { Reason(recorded: $0) },
            confidence: try made("confidence", Confidence(word: confidence)), counter: counter,
            binding: try made("binding", Binding(word: binding)),
            photoDigest: try made("photo_sha256", SHA256Digest(hex: photo)),
            depthDigest: try made("depth_sha256", SHA256Digest(hex: depth)),
            metadataDigest: try made("metadata_sha256", SHA256Digest(hex: metadata)),
            clientDataHash: try clientDataHash.map { text throws(EvidenceError) in
                try made("client_data_sha256", SHA256Digest(hex: text))
            },
            receivedAt: try made("received_at", Timestamp(rfc3339: receivedAt)),
            settledAt: try made("settled_at", Timestamp(rfc3339: settledAt)),
            compromisedSince: try compromisedSince.map { text throws(EvidenceError) in
                try made("compromised_since", Timestamp(rfc3339: text))
            },
            checks: checks?.compactMap(\.check),
            counterPolicy: try counterPolicy.map { text throws(EvidenceError) in
                try made("counter_policy", CounterPolicy(text))
            },
            processorVersion: processorVersion)
    }
}

extension EvidenceDocument.Key {
    init(_ key: CaptureEvidence.Key) {
        keyID = Data(key.id.bytes)
        publicKey = key.publicKey.map { Data($0) }
        registeredAt = key.registeredAt.rfc3339
        attestation = key.attestation.map { Data($0) }
        clientDataHash = key.clientDataHash.map { Data($0) }
    }

    func validated() throws(EvidenceError) -> CaptureEvidence.Key {
        // The nonce covers authenticator data followed by this hash: only the hash's fixed length separates the two.
        if let clientDataHash { _ = try made("client_data_hash", SHA256Digest(bytes: clientDataHash)) }
        return CaptureEvidence.Key(
            id: try made("key_id", KeyID(bytes: keyID)), publicKey: publicKey.map { Array($0) },
            registeredAt: try made("registered_at", Timestamp(rfc3339: registeredAt)),
            attestation: attestation.map { Array($0) }, clientDataHash: clientDataHash.map { Array($0) })
    }
}
