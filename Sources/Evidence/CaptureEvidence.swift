public import CaptureModel

/// The kept evidence of a settled capture: others can verify signature, key, binding and counter with it themselves.
///
/// It is not enough for the verdict. Photo and depth map are deleted when a capture is settled, so only somebody who
/// has their bytes can repeat their checks; and few of the settings that decided are recorded.
///
/// ```swift
/// let evidence = try CaptureEvidence(json: bytes)
/// let verifier = EvidenceVerifier(policy: AttestationPolicy(appIDs: [app]))
/// let findings = verifier.verify(evidence, photo: photo, depth: depth)
/// ```
///
/// The metadata may tell where a photo was taken. So only the device's holder, operators and servers with a token for
/// it may hand evidence on. They may leave the metadata out.
public struct CaptureEvidence: Sendable, Equatable {
    /// The record's statements, as far as the evidence can confirm them.
    public struct Result: Sendable, Equatable {
        /// The capture.
        public let capture: CaptureID
        /// The device that signed it.
        public let device: DeviceID
        /// The final decision about it.
        public let verdict: Verdict
        /// Why it was rejected.
        public var reason: Reason? { recordedReason.map { Reason(recorded: $0) } }
        /// How much its evidence proves; `none` for a rejected capture.
        public let confidence: Confidence
        /// The authenticated counter; `nil` when it was not established.
        ///
        /// That is so when the signature was not good, or when the worker refused the photo or the device before it
        /// read the counter.
        public let counter: UInt32?
        /// How the signature binds the bytes.
        public let binding: Binding
        /// SHA-256 of the photo as uploaded.
        public let photoDigest: SHA256Digest
        /// SHA-256 of the depth map as uploaded.
        public let depthDigest: SHA256Digest
        /// SHA-256 of the metadata as uploaded.
        public let metadataDigest: SHA256Digest
        /// The clientDataHash that the assertion signs together with its authenticator data, 32 bytes.
        ///
        /// With it the signature of `concat-v1` can be verified without photo and depth map.
        public let clientDataHash: SHA256Digest
        /// When the gateway had the whole bundle.
        public let receivedAt: Timestamp
        /// When it came to its verdict.
        public let settledAt: Timestamp
        /// Since when the key may have been compromised; set only for captures from that time or later.
        ///
        /// Noted afterwards: a document that was written before that lacks it.
        public let compromisedSince: Timestamp?
        /// How each check ended that this release knows; ``CaptureEvidence/unsignedMembers`` has the places of others.
        public var checks: [Check] { recordedChecks.compactMap(\.check) }
        /// The rule that decided about the counter.
        public let counterPolicy: CounterPolicy
        /// The version of the software that verified it.
        public let processorVersion: String
        /// The record's word for the reason, which may be one of a newer release.
        let recordedReason: String?
        /// The record's words for all checks, those of a newer release as well.
        let recordedChecks: [RecordedCheck]
    }

    /// The device's key and its attestation.
    public struct Key: Sendable, Equatable {
        /// SHA-256 of the public key: Apple's key identifier.
        public let id: KeyID
        /// The key: X9.63, 65 bytes (P-256), or 32 raw bytes (Ed25519, never attested by Apple); `nil` when unknown.
        public let publicKey: [UInt8]?
        /// When it was registered, or attested again: the moment at which its attestation was good.
        public let registeredAt: Timestamp
        /// The attestation object as received; `nil` for a key that was not attested.
        public let attestation: [UInt8]?
        /// The clientDataHash that the attestation was made for, 32 bytes.
        public let clientDataHash: [UInt8]?
    }

    /// The record's statements.
    public let result: Result
    /// The assertion as uploaded.
    public let assertion: [UInt8]
    /// The metadata as uploaded; `nil` where somebody left them out before handing the evidence on.
    public let metadata: [UInt8]?
    /// The device's key; `nil` when the device was never registered.
    public let key: Key?
    /// The paths of the document's members that this release does not know.
    var unknownMembers: [String] = []

    /// Memberwise.
    ///
    /// What contradicts itself, as a verified capture without a key does, can be written but not read again.
    public init(result: Result, assertion: [UInt8], metadata: [UInt8]?, key: Key?) {
        self.result = result
        self.assertion = assertion
        self.metadata = metadata
        self.key = key
    }
}

extension CaptureEvidence.Result {
    /// Takes over the result of the record.
    package init(_ result: ProvenanceResult) {
        capture = result.id
        device = result.device
        verdict = result.verdict
        confidence = result.confidence
        counter = result.counter
        binding = result.binding
        photoDigest = result.photoDigest
        depthDigest = result.depthDigest
        metadataDigest = result.metadataDigest
        clientDataHash = result.clientDataHash
        receivedAt = result.receivedAt
        settledAt = result.settledAt
        compromisedSince = result.compromisedSince
        counterPolicy = result.counterPolicy
        processorVersion = result.processorVersion
        recordedReason = result.reason?.rawValue
        recordedChecks = result.checks.map { RecordedCheck($0) }
    }
}

extension CaptureEvidence.Key {
    /// Takes over a registration, with the later attestation of its key if a result rests on one.
    package init(_ registration: DeviceRegistration, attestedAgain later: LaterAttestation? = nil) {
        let isAttested = registration.device.level == .secureEnclave
        id = registration.device.keyID
        publicKey = registration.device.publicKey
        registeredAt = later?.attestedAt ?? registration.device.registeredAt
        // The kept bytes of an attestation that was not good prove nothing.
        attestation = isAttested ? later?.attestationObject ?? registration.attestationObject : nil
        clientDataHash = isAttested ? later?.clientDataHash ?? registration.clientDataHash : nil
    }
}
