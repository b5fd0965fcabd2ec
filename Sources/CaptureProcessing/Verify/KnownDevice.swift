import AppAttest
import CaptureModel
import Rollout

/// A device with its key ready for verification.
///
/// It is an immutable class: it is looked up for every capture, and a copy costs a single reference.
final class KnownDevice: Sendable {
    let device: Device
    /// The device's key; `nil` when it could not be read, so that no assertion can be this device's.
    let key: AssertionKey?
    let appID: AppID?
    /// What the configuration has against its key.
    let objection: Reason?
    /// The facts by which rollouts judge the device.
    let rolloutFacts: RolloutDevice

    init(_ device: Device, keys: TrustedKeys) {
        self.device = device
        objection = keys.objection(to: device)
        key = device.assertionKey
        appID = AppID(of: device)
        rolloutFacts = RolloutDevice(
            key: device.keyID, osVersion: device.latestOSVersion, attestedApp: device.attestedApp)
    }

    /// Whether Apple's count of its keys may exceed a limit by now, although the known count does not or is missing.
    func mayExceed(_ limit: Int) -> Bool {
        RiskCheck.isCounted(device) && device.risk.map { $0.metric <= limit } ?? true
    }

    /// Whether a rollout refuses the device's system, or may refuse its app because of the attestation known here.
    ///
    /// The key may have been attested anew since. Under `monitor` a rollout refuses nothing, and its mark may rest on
    /// facts as old as the cache's lifetime.
    func mayBeHeldBack(by rollout: RolloutPolicy) -> Bool {
        guard let appID else { return false }
        return rollout.ruling(on: rolloutFacts, of: appID, extensions: nil)?.rejection != nil
            || rollout.isHeldToAttested(rolloutFacts, of: appID)
    }
}
