package import CaptureModel

/// Changes to devices after their registration: compromised keys and later attestations.
package protocol DeviceRegistry: Sendable {
    /// Notes that a device's key may have been in other hands since a moment, and revokes the device from then on.
    ///
    /// Results from then on are marked when they are read; they are neither changed nor withdrawn. An earlier moment
    /// replaces the one noted before, a later one does not; a moment in the future of the record's clock counts as now.
    /// The compromise covers all registrations of the key.
    /// - Returns: The affected results; `nil` when there is no device of this id.
    func compromise(
        _ device: DeviceID, since moment: Timestamp, reason: String, actor: String
    ) async throws(StoreError) -> NotedCompromise?

    /// Counts the captures that a compromise since a moment would concern, up to ``DeviceTally/countMax`` of each kind.
    ///
    /// They are the captures of every registration of a device's key, received from then on; reasons are not counted.
    func tally(ofKeyOf device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally

    /// The verified results of a key since its compromise, in the order of their receipt.
    /// - Parameter counter: The counter of the last result of the page before; 0 for the first page.
    func affected(of device: DeviceID, after counter: UInt32, limit: Int) async throws(StoreError) -> [AffectedResult]

    /// Keeps a new attestation of a registered key with its evidence, and notes the facts that have changed.
    ///
    /// Counters stay as they are: the new attestation's counter 0 makes no old assertion valid again. The new receipt
    /// replaces the old one and is due. App and environment must be those of the registration, and so must the root,
    /// unless devices may leave that root: then the device belongs to the new root from now on.
    /// - Parameter roots: SHA-256 of the roots that no device may leave for another.
    func reattest(
        _ attestation: DeviceRegistration, keeping roots: Set<String>, actor: String
    ) async throws(StoreError) -> ReattestationOutcome

    /// The attestations of a device: the registration's, and the latest since.
    func attestations(of device: DeviceID) async throws(StoreError) -> AttestationHistory
}
