import CaptureModel

extension EvidenceDocument {
    init(_ evidence: CaptureEvidence) {
        format = CaptureEvidence.format
        result = Result(evidence.result)
        assertion = Base64Bytes(evidence.assertion)
        metadata = evidence.metadata.map { Base64Bytes($0) }
        key = evidence.key.map { Key($0) }
    }

    func evidence() throws(EvidenceError) -> CaptureEvidence {
        let evidence = CaptureEvidence(
            result: try result.validated(), assertion: assertion.bytes, metadata: metadata?.bytes,
            key: try key.map { key throws(EvidenceError) in try key.validated() })
        try evidence.checkContradictions()
        return evidence
    }
}

/// The value of a member; throws when it is out of range.
private func made<Value>(_ member: String, _ value: Value?) throws(EvidenceError) -> Value {
    guard let value else { throw EvidenceError(.memberInvalid, "\(member) has a value out of range") }
    return value
}

extension EvidenceDocument.Result {
    init(_ result: CaptureEvidence.Result) {
        captureID = result.capture.description
        deviceID = result.device.description
        verdict = result.verdict.rawValue
        confidence = result.confidence.rawValue
        binding = result.binding.rawValue
        photo = result.photoDigest.hex
        depth = result.depthDigest.hex
        metadata = result.metadataDigest.hex
        clientDataHash = result.clientDataHash.hex
        receivedAt = result.receivedAt.rfc3339
        settledAt = result.settledAt.rfc3339
        checks = result.recordedChecks
        counterPolicy = result.counterPolicy.description
        processorVersion = result.processorVersion
        // After the others, as these have a value from the start: null.
        reason = result.recordedReason
        counter = result.counter.map { RecordedCounter($0) }
        compromisedSince = result.compromisedSince?.rfc3339
    }

    func validated() throws(EvidenceError) -> CaptureEvidence.Result {
        CaptureEvidence.Result(
            capture: try made("result.capture_id", CaptureID(captureID)),
            device: try made("result.device_id", DeviceID(deviceID)),
            verdict: try made("result.verdict", Verdict(word: verdict)),
            confidence: try made("result.confidence", Confidence(word: confidence)), counter: counter?.number,
            binding: try made("result.binding", Binding(word: binding)),
            photoDigest: try made("result.photo_sha256", SHA256Digest(hex: photo)),
            depthDigest: try made("result.depth_sha256", SHA256Digest(hex: depth)),
            metadataDigest: try made("result.metadata_sha256", SHA256Digest(hex: metadata)),
            clientDataHash: try made("result.client_data_sha256", SHA256Digest(hex: clientDataHash)),
            receivedAt: try made("result.received_at", Timestamp(rfc3339: receivedAt)),
            settledAt: try made("result.settled_at", Timestamp(rfc3339: settledAt)),
            compromisedSince: try compromisedSince.map { text throws(EvidenceError) in
                try made("result.compromised_since", Timestamp(rfc3339: text))
            },
            counterPolicy: try made("result.counter_policy", CounterPolicy(counterPolicy)),
            processorVersion: processorVersion, recordedReason: reason, recordedChecks: checks)
    }
}

extension EvidenceDocument.Key {
    init(_ key: CaptureEvidence.Key) {
        keyID = Base64Bytes(key.id.bytes)
        registeredAt = key.registeredAt.rfc3339
        publicKey = key.publicKey.map { Base64Bytes($0) }
        attestation = key.attestation.map { Base64Bytes($0) }
        clientDataHash = key.clientDataHash.map { Base64Bytes($0) }
    }

    func validated() throws(EvidenceError) -> CaptureEvidence.Key {
        // The nonce covers authenticator data followed by this hash: only the hash's fixed length separates the two.
        if let clientDataHash { _ = try made("key.client_data_hash", SHA256Digest(bytes: clientDataHash.bytes)) }
        return CaptureEvidence.Key(
            id: try made("key.key_id", KeyID(bytes: keyID.bytes)), publicKey: publicKey?.bytes,
            registeredAt: try made("key.registered_at", Timestamp(rfc3339: registeredAt)),
            attestation: attestation?.bytes, clientDataHash: clientDataHash?.bytes)
    }
}
