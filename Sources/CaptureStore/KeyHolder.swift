package import CaptureModel

/// The registration that holds a key, as seen when the key is to be registered again.
package struct KeyHolder: Sendable, Equatable {
    private let isAttested: Bool
    private let hasProvedKey: Bool
    private let isRevoked: Bool
    private let isCompromised: Bool

    /// Takes the record's facts about the registration.
    package init(level: AttestationLevel, unverifiedReason: String?, isRevoked: Bool, isCompromised: Bool) {
        isAttested = level == .secureEnclave
        hasProvedKey = Device.hasProvedKey(level: level, unverifiedReason: unverifiedReason)
        self.isRevoked = isRevoked
        self.isCompromised = isCompromised
    }

    /// Whether a new registration of the key replaces this one.
    ///
    /// An attested registration replaces an unverified one. A registration that proves the key in any way replaces one
    /// that never has: anybody can name somebody else's key in a forged attestation. The revocation of a registration
    /// that proved nothing does not bind the key's owner. The revocation of one that proved the key stays, and so does
    /// a compromise, which names the key.
    package func givesWay(to device: Device) -> Bool {
        guard !isAttested, !isCompromised else { return false }
        guard hasProvedKey else { return device.hasProvedKey }
        return device.level == .secureEnclave && !isRevoked
    }
}
