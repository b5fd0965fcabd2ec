package import CaptureModel

/// What becomes of devices after their registration: compromised keys, later attestations, and what they change.
package protocol DeviceRegistry: Sendable {
    /// Notes that a device's key may have been in other hands since a moment, and revokes the device from then on.
    ///
    /// Results from then on are marked when they are read; they are neither changed nor withdrawn. An earlier moment
    /// than the one noted before takes its place, a later one does not; one that is to come by the record's clock counts as
    /// now. All registrations of the key are meant.
    /// - Returns: What it concerns; `nil` when there is no device of this id.
    func compromise(
        _ device: DeviceID, since moment: Timestamp, reason: String, actor: String
    ) async throws(StoreError) -> NotedCompromise?

    /// What a compromise since a moment would concern: what became of the captures received from then on of every
    /// registration of a device's key, counted up to ``DeviceTally/countMax`` of each kind, without their reasons.
    func tally(ofKeyOf device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally

    /// The verified results of a compromised key since then, by their counters, after the given one.
    func affected(of device: DeviceID, after counter: UInt32, limit: Int) async throws(StoreError) -> [AffectedResult]

    /// Keeps a new attestation of a registered key with its evidence, and what has changed since the one before.
    ///
    /// Counters stay as they are: the new attestation's 0 opens no old assertion again. The new receipt takes the old
    /// one's place and is due. App and environment are those of the registration, and so is the root, unless it is one
    /// that devices may leave: then the device is the new root's from now on.
    /// - Parameter roots: SHA-256 of the roots that no device leaves for the attestation's own.
    func reattest(
        _ attestation: DeviceRegistration, keeping roots: Set<String>, actor: String
    ) async throws(StoreError) -> ReattestationOutcome

    /// The attestations of a device: the registration's, and the latest since.
    func attestations(of device: DeviceID) async throws(StoreError) -> AttestationHistory
}
