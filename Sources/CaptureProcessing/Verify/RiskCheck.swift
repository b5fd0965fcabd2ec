import CaptureModel

/// Judges the number of keys attested on a device, which at most warns: one device may serve many people for good
/// reasons.
enum RiskCheck {
    /// How long after its registration a device may have no metric before that counts as missing evidence: the first
    /// exchange of its receipt is due at once, and takes no longer unless Apple's server is away.
    private static let grace = Duration.seconds(3600)

    /// The risk to judge; it is kept with the check, since the device's metric may have changed when the check is read.
    static func judged(of device: Device, warning: Int) -> JudgedRisk? {
        guard isCounted(device) else { return nil }
        return device.risk.map { JudgedRisk($0, warning: warning) }
    }

    /// The check of a capture that was received at a moment.
    ///
    /// Apple's counts of the development environment mean nothing. For a production key, a missing metric is missing
    /// evidence, and so is a metric that could not be renewed for too long. The reason: no signature covers the receipt
    /// inside an attestation, so its sender could spoil the receipt and avoid being counted.
    static func check(_ judged: JudgedRisk?, of device: Device, at moment: Timestamp) -> Check {
        guard isCounted(device) else { return Check(.risk, .unavailable, .notEvaluated) }
        if let judged {
            // A warning does not expire: only a good metric grows old.
            guard judged.risk.metric <= judged.warning else { return Check(.risk, .fail, .riskElevated) }
            guard moment.since(judged.risk.at) <= DeviceRisk.ageMax else {
                return Check(.risk, .unavailable, .riskUnknown)
            }
            return Check(.risk, .pass)
        }
        let isNew = device.isRiskAwaited && moment.since(device.registeredAt) < grace
        return Check(.risk, .unavailable, isNew ? .notEvaluated : .riskUnknown)
    }

    /// Whether Apple counts the device's keys: only attested ones have an environment.
    static func isCounted(_ device: Device) -> Bool { device.environment == .production }
}
