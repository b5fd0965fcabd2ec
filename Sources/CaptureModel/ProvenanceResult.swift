/// The record of a settled capture that anybody entitled may read.
package struct ProvenanceResult: Sendable, Equatable {
    /// The capture.
    package let id: CaptureID
    /// The device that signed it: a random id that says nothing about its holder.
    package let device: DeviceID
    /// The device's key; `nil` when the device is not registered.
    package let keyID: KeyID?
    /// What is known of the key.
    package let attestationLevel: AttestationLevel
    /// The key's App Attest environment, where known.
    package let environment: KeyEnvironment?
    /// The app that the key belongs to, where known.
    package let appID: String?
    /// The root that the device's certificate chain ended in; `nil` for an unverified device.
    package let trustRoot: String?
    /// The authenticated counter; `nil` when the signature was not good.
    package let counter: UInt32?
    /// The rule that decided about the counter.
    package var counterPolicy: CounterPolicy
    /// How the signature binds the bytes.
    package let binding: Binding
    /// SHA-256 of the photo as uploaded.
    package let photoDigest: SHA256Digest
    /// SHA-256 of the depth map as uploaded.
    package let depthDigest: SHA256Digest
    /// SHA-256 of the metadata as uploaded.
    package let metadataDigest: SHA256Digest
    /// The clientDataHash that the assertion signs together with its authenticator data.
    ///
    /// With `concat-v1` it cannot be computed from the digests above.
    package var clientDataHash: SHA256Digest
    /// Every check, the counter's included, in the order of ``Check/Name``.
    package var checks: [Check]
    /// What became of the capture, for good.
    package var verdict: Verdict
    /// Why it was rejected.
    package var reason: Reason?
    /// How much its evidence proves; `none` for a rejected capture.
    package var confidence: Confidence
    /// How often it was tried.
    package let attempts: Int
    /// Whether it had been redriven: by an operator, by its bundle sent again, or as a dead letter that was lost.
    ///
    /// Also true when a stalled worker settles a capture that has become a dead letter meanwhile.
    package let isRedriven: Bool
    /// When the app says that the photo was taken.
    package let capturedAt: Timestamp?
    /// When the gateway had the whole bundle; everything was verified as of this time.
    package let receivedAt: Timestamp
    /// When the worker that settled it had claimed it, by the queue's clock.
    package let claimedAt: Timestamp
    /// When a worker verified it.
    package let verifiedAt: Timestamp
    /// When it came to its verdict, by the record's clock.
    package var settledAt: Timestamp
    /// The version of the software that verified it.
    package let processorVersion: String
    /// The device's risk as the check `risk` judged it.
    ///
    /// Where the check judged none, it is the risk known when the capture was settled.
    package let risk: DeviceRisk?
    /// The metric above which the check `risk` warned; `nil` where it judged none.
    package let riskWarning: Int?
    /// What the app's rollout said; `nil` where it was off, and when the signature was not good.
    package let rollout: RolloutRuling?
    /// Since when the device's key may have been compromised; set only in results from that time or later.
    ///
    /// It is noted afterwards, when the verdict can no longer change.
    package var compromisedSince: Timestamp?

    /// Memberwise.
    package init(
        id: CaptureID, device: DeviceID, keyID: KeyID?, attestationLevel: AttestationLevel,
        environment: KeyEnvironment?, appID: String?, trustRoot: String?, counter: UInt32?,
        counterPolicy: CounterPolicy, binding: Binding, photoDigest: SHA256Digest, depthDigest: SHA256Digest,
        metadataDigest: SHA256Digest, clientDataHash: SHA256Digest, checks: [Check], verdict: Verdict,
        reason: Reason?, confidence: Confidence, attempts: Int, isRedriven: Bool, capturedAt: Timestamp?,
        receivedAt: Timestamp, claimedAt: Timestamp, verifiedAt: Timestamp, settledAt: Timestamp,
        processorVersion: String, risk: DeviceRisk? = nil, riskWarning: Int? = nil, rollout: RolloutRuling? = nil,
        compromisedSince: Timestamp? = nil
    ) {
        self.id = id
        self.device = device
        self.keyID = keyID
        self.attestationLevel = attestationLevel
        self.environment = environment
        self.appID = appID
        self.trustRoot = trustRoot
        self.counter = counter
        self.counterPolicy = counterPolicy
        self.binding = binding
        self.photoDigest = photoDigest
        self.depthDigest = depthDigest
        self.metadataDigest = metadataDigest
        self.clientDataHash = clientDataHash
        self.checks = checks
        self.verdict = verdict
        self.reason = reason
        self.confidence = confidence
        self.attempts = attempts
        self.isRedriven = isRedriven
        self.capturedAt = capturedAt
        self.receivedAt = receivedAt
        self.claimedAt = claimedAt
        self.verifiedAt = verifiedAt
        self.settledAt = settledAt
        self.processorVersion = processorVersion
        self.risk = risk
        self.riskWarning = riskWarning
        self.rollout = rollout
        self.compromisedSince = compromisedSince
    }
}
