import AppAttest
import CaptureModel

extension GatewayConfiguration.Trust {
    /// Which attested keys are taken now, by requests and uploads alike.
    var keys: TrustedKeys {
        TrustedKeys(apps: appIDs, environments: environments, trustRoots: Set(roots.map(\.sha256)))
    }
}

extension TrustedKeys {
    /// Lets a device pass whose key is taken.
    ///
    /// Not counted as a refused signature: no signature was checked.
    /// - Throws: `SIGNATURE_INVALID` with the reason: no signature by this key is valid.
    func admit(_ device: Device) throws(APIError) {
        guard let reason = objection(to: device) else { return }
        throw APIError(.signatureInvalid, reason.explanation, reason: reason.rawValue)
    }
}
