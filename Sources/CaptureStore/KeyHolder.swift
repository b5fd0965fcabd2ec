package import CaptureModel

/// The registration that holds a key, as far as another one of the same key asks.
package struct KeyHolder: Sendable, Equatable {
    private let isAttested: Bool
    private let hasProvedKey: Bool
    private let isRevoked: Bool
    private let isCompromised: Bool

    /// Takes what the record says of it.
    package init(level: AttestationLevel, unverifiedReason: String?, isRevoked: Bool, isCompromised: Bool) {
        isAttested = level == .secureEnclave
        hasProvedKey = Device.hasProvedKey(level: level, unverifiedReason: unverifiedReason)
        self.isRevoked = isRevoked
        self.isCompromised = isCompromised
    }

    /// Whether a registration of its key takes its place.
    ///
    /// An attested one does of an unverified one. One that proves the key in any way does of one that never has: anybody
    /// can name somebody's key in an attestation that is none. A revocation of what proved nothing is no word about the
    /// key's owner; one of a proved registration, and a compromise, which names the key, stay.
    package func givesWay(to device: Device) -> Bool {
        guard !isAttested, !isCompromised else { return false }
        guard hasProvedKey else { return device.hasProvedKey }
        return device.level == .secureEnclave && !isRevoked
    }
}
