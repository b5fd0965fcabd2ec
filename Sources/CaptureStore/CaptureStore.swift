package import CaptureModel

/// The record: devices, counters and provenance results, as gateways, workers and operators see it.
///
/// Correctness rests here: ``settle(_:policy:)`` decides counters and results of a batch in one transaction.
package protocol CaptureStore: Sendable {
    /// Registers a device, unless its key or its id is registered already.
    ///
    /// A verified device may register a key that only an unverified device holds. It takes that device's place, which
    /// then counts as revoked from this moment by the record's clock. Revocation sticks to the key: a revoked device is
    /// not replaced. A key's counters outlive every registration and are never lowered. Registering the same device
    /// under the same id again returns `created` again, so that a caller who did not get the answer may retry.
    func register(_ registration: DeviceRegistration) async throws(StoreError) -> RegistrationOutcome

    /// The device that a key is registered as, revoked or not; `nil` when there is none.
    ///
    /// If there are several registrations, it is the one that no other has replaced.
    func holder(of key: KeyID) async throws(StoreError) -> Device?

    /// Reads devices; ids that are not registered are missing from the answer.
    func devices(_ ids: [DeviceID]) async throws(StoreError) -> [DeviceID: Device]

    /// Revokes a device from a moment on; `false` when there is none of this id.
    ///
    /// Without a moment, the device is revoked from now on, by the record's clock once no capture of the key is being
    /// settled: no verified result was received later. A moment in the future of that clock counts as now.
    ///
    /// A device that is revoked already keeps the earlier moment. The audit notes the call either way.
    func revoke(_ device: DeviceID, at moment: Timestamp?, reason: String, actor: String) async throws(StoreError)
        -> Bool

    /// Everything on one device, evidence included; `nil` when there is none of this id.
    func record(of device: DeviceID) async throws(StoreError) -> DeviceRecord?

    /// Lists devices, newest first, after the given one.
    func listDevices(after: DeviceID?, limit: Int) async throws(StoreError) -> [ListedDevice]

    /// Advances the counter of a key's *requests* iff it is greater than the stored one.
    func advanceRequestCounter(of key: KeyID, to counter: UInt32) async throws(StoreError) -> Bool

    /// Notes when a key without a counter last signed a request, to the minute.
    func noteRequest(of key: KeyID) async throws(StoreError)

    /// Decides a batch in one transaction: counters checked and advanced, results written, all or nothing.
    ///
    /// A capture that has a result keeps it. Captures of one key count in the order of the array. Only an accepted
    /// capture uses its counter up. If a capture's device was revoked or superseded when the capture was received, the
    /// capture is rejected for that, whatever the verification found.
    func settle(_ batch: [ExaminedCapture], policy: CounterPolicy) async throws(StoreError) -> [SettledCapture]

    /// The conflicts of those of some captures that are replays of an attested key, in no order.
    ///
    /// A capture that was rejected as `COUNTER_REPLAY` is none if the verified one has the same clientDataHash: that is
    /// the same signed content, sent again.
    func counterConflicts(of captures: [CaptureID]) async throws(StoreError) -> [CounterConflict]

    /// Reads results; captures without one are missing from the answer.
    func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult]

    /// The evidence uploaded with a settled capture; `nil` when it has no result.
    func uploaded(with capture: CaptureID) async throws(StoreError) -> UploadedEvidence?

    /// The later attestation of its device's key that a settled capture's result rests on.
    ///
    /// It is the latest one before the capture was settled, under the root that the result names; `nil` when that is the
    /// registration's own, or the capture has no result.
    func laterAttestation(for capture: CaptureID) async throws(StoreError) -> LaterAttestation?

    /// Notes actions of operators and programs, all or nothing; registrations and revocations note themselves.
    func recordAudit(_ entries: [AuditEntry]) async throws(StoreError)

    /// The audit entries of a subject, latest first.
    func auditTrail(of subject: String, limit: Int) async throws(StoreError) -> [AuditEntry]

    /// Answers when the record can be reached.
    func ping() async throws(StoreError)
}

extension CaptureStore {
    /// Reads a result; `nil` for a capture without one.
    package func result(of capture: CaptureID) async throws(StoreError) -> ProvenanceResult? {
        try await results(of: [capture])[capture]
    }

    /// Reads a device; `nil` when there is none of this id.
    package func device(_ id: DeviceID) async throws(StoreError) -> Device? {
        try await devices([id])[id]
    }

    /// Notes one action of an operator or a program.
    package func recordAudit(_ entry: AuditEntry) async throws(StoreError) {
        try await recordAudit([entry])
    }
}
