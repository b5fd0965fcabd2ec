import CaptureModel

/// Judges about how many keys were attested on a device: a warning and no more, as one device may serve many people for
/// good reasons.
enum RiskCheck {
    /// How long after its registration a device may be without a metric before that is missing evidence: the first
    /// exchange of its receipt is due at once, and takes no longer unless Apple's server is away.
    private static let grace = Duration.seconds(3600)

    /// What there is to judge; it is kept with the check, since the metric may be another one when that is read.
    static func judged(of device: Device, warning: Int) -> JudgedRisk? {
        guard isCounted(device) else { return nil }
        return device.risk.map { JudgedRisk($0, warning: warning) }
    }

    /// The check of a capture that was received at a moment.
    ///
    /// Apple's counts of the development environment mean nothing. Of a production key no metric is missing evidence,
    /// and so is one that nobody could renew for too long: no signature covers the receipt inside of an attestation,
    /// so that whoever sends it could spoil it and be counted by nobody.
    static func check(_ judged: JudgedRisk?, of device: Device, at moment: Timestamp) -> Check {
        guard isCounted(device) else { return Check(.risk, .unavailable, .notEvaluated) }
        if let judged {
            // A warning does not pass with time: only what speaks for the device grows old.
            guard judged.risk.metric <= judged.warning else { return Check(.risk, .fail, .riskElevated) }
            guard moment.since(judged.risk.at) <= DeviceRisk.ageMax else {
                return Check(.risk, .unavailable, .riskUnknown)
            }
            return Check(.risk, .pass)
        }
        let isNew = device.isRiskAwaited && moment.since(device.registeredAt) < grace
        return Check(.risk, .unavailable, isNew ? .notEvaluated : .riskUnknown)
    }

    private static func isCounted(_ device: Device) -> Bool {
        device.level == .secureEnclave && device.environment != .development
    }
}
