package import CaptureModel

/// What becomes of a capture: what the settling transaction does in SQL, as a value.
enum SettledResult {
    /// The result of a capture once its device and counter are decided.
    ///
    /// `decided` is what decided against it before the counter was looked at; `counter` what came of the counter.
    static func make(
        of capture: ExaminedCapture, device: Device?, decided: Reason?, counter: Check, policy: CounterPolicy,
        settledAt: Timestamp
    ) -> ProvenanceResult {
        let submission = capture.job.submission
        let reason = decided ?? (counter.outcome == .fail ? counter.reason : nil)
        let level = device?.level ?? .unverified
        return ProvenanceResult(
            id: capture.job.id, device: capture.job.device, keyID: device?.keyID, attestationLevel: level,
            environment: device?.environment, appID: device?.appID,
            trustRoot: device?.trustRoot, counter: capture.counter, counterPolicy: policy, binding: submission.binding,
            photoDigest: submission.photoDigest, depthDigest: submission.depthDigest,
            metadataDigest: .hash(submission.metadata), clientDataHash: capture.clientDataHash,
            checks: checks(of: capture, decided: decided, counter: counter),
            verdict: reason == nil ? .verified : .rejected, reason: reason,
            confidence: reason == nil ? min(capture.outcome.confidence, level.confidenceMax) : .none,
            attempts: capture.job.attempts,
            isRedriven: capture.job.isRedriven, capturedAt: capture.capturedAt, receivedAt: capture.job.receivedAt,
            claimedAt: capture.job.claimedAt, verifiedAt: capture.verifiedAt, settledAt: settledAt,
            processorVersion: ProcessorVersion.current, risk: capture.risk?.risk ?? device?.risk,
            riskWarning: capture.risk?.warning, rollout: capture.rollout)
    }

    private static func checks(of capture: ExaminedCapture, decided: Reason?, counter: Check) -> [Check] {
        var checks = capture.checks.filter { $0.name != .counter }
        checks.append(counter)
        if let decided, decided != capture.outcome.rejection {
            checks.removeAll { $0.name == .device }
            checks.append(Check(.device, .fail, decided))
        }
        return checks.inOrder
    }
}

extension Device {
    /// The same device with its revocation, and with what is awaited of its receipt, as they are now.
    package func with(revokedAt: Timestamp?, isRiskAwaited: Bool = false) -> Device {
        Device(
            id: id, keyID: keyID, key: key, platform: platform, model: model, hasLidar: hasLidar,
            revokedAt: revokedAt, registeredAt: registeredAt, risk: risk, isRiskAwaited: isRiskAwaited,
            latestOSVersion: latestOSVersion, attestedApp: attestedApp)
    }
}

extension DeviceRegistration {
    /// The same evidence on the device as it is now.
    package func with(_ device: Device) -> DeviceRegistration {
        DeviceRegistration(
            device: device, attestationObject: attestationObject, clientDataHash: clientDataHash,
            certificateChain: certificateChain, receipt: receipt, osVersion: osVersion,
            validationCategory: validationCategory, bundleVersion: bundleVersion, receiptRejection: receiptRejection,
            deviceCheck: deviceCheck)
    }
}
