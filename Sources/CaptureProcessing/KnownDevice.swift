import AppAttest
import CaptureModel
import DeviceTrust
import Rollout

/// A device with its key ready for verification.
///
/// A class that never changes: it is looked up for every capture, and copied with a single reference.
final class KnownDevice: Sendable {
    let device: Device
    /// `nil` when its key could not be read, so that no assertion can be its own.
    let key: AssertionKey?
    let appID: AppID?
    /// What the configuration has against its key.
    let objection: Reason?
    /// As rollouts judge it.
    let judged: RolloutDevice

    init(_ device: Device, keys: TrustedKeys) {
        self.device = device
        objection = keys.objection(to: device)
        key = device.assertionKey
        appID = AppID(of: device)
        judged = RolloutDevice(
            key: device.keyID, osVersion: device.latestOSVersion, attestedApp: device.attestedApp)
    }

    /// Whether Apple's count of its keys may be above a limit by now, and was not as far as this worker knows.
    func mayExceed(_ limit: Int) -> Bool {
        device.level == .secureEnclave && device.environment != .development
            && device.risk.map { $0.metric <= limit } ?? true
    }

    /// Whether a rollout refuses the system, or may refuse the app for what was attested of it, as far as this worker
    /// knows: the key may have been attested anew since.
    ///
    /// A mark under `monitor` refuses nothing, and may come from what was known a cache's lifetime ago.
    func mayBeHeldBack(by rollout: RolloutPolicy) -> Bool {
        guard let appID else { return false }
        return rollout.ruling(on: judged, of: appID, extensions: nil)?.rejection != nil
            || rollout.isHeldToAttested(judged, of: appID)
    }
}
