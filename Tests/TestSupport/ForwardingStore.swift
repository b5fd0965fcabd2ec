package import CaptureModel
package import CaptureStore

/// A record in memory that a test's own type does one thing differently from.
package protocol ForwardingStore: CaptureStore {
    /// What does the rest.
    var memory: MemoryCaptureStore { get }
}

extension ForwardingStore {
    /// Registers a device.
    package func register(_ registration: DeviceRegistration) async throws(StoreError) -> RegistrationOutcome {
        try await memory.register(registration)
    }
    /// Decides a batch.
    package func settle(
        _ batch: [ExaminedCapture], policy: CounterPolicy
    ) async throws(StoreError) -> [SettledCapture] {
        try await memory.settle(batch, policy: policy)
    }
    /// Reads the device of a key.
    package func holder(of key: KeyID) async throws(StoreError) -> Device? {
        try await memory.holder(of: key)
    }
    /// Reads devices.
    package func devices(_ ids: [DeviceID]) async throws(StoreError) -> [DeviceID: Device] {
        try await memory.devices(ids)
    }
    /// Revokes a device.
    package func revoke(
        _ device: DeviceID, at moment: Timestamp?, reason: String, actor: String
    ) async throws(StoreError) -> Bool {
        try await memory.revoke(device, at: moment, reason: reason, actor: actor)
    }
    /// Tells everything on a device.
    package func record(of device: DeviceID) async throws(StoreError) -> DeviceRecord? {
        try await memory.record(of: device)
    }
    /// Lists devices.
    package func listDevices(after: DeviceID?, limit: Int) async throws(StoreError) -> [ListedDevice] {
        try await memory.listDevices(after: after, limit: limit)
    }
    /// Advances a counter of requests.
    package func advanceRequestCounter(of key: KeyID, to counter: UInt32) async throws(StoreError) -> Bool {
        try await memory.advanceRequestCounter(of: key, to: counter)
    }
    /// Notes a request.
    package func noteRequest(of key: KeyID) async throws(StoreError) {
        try await memory.noteRequest(of: key)
    }
    /// Finds the replays over other content.
    package func counterConflicts(of captures: [CaptureID]) async throws(StoreError) -> [CounterConflict] {
        try await memory.counterConflicts(of: captures)
    }
    /// Reads results.
    package func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
        try await memory.results(of: captures)
    }
    /// Reads what was uploaded.
    package func uploaded(with capture: CaptureID) async throws(StoreError) -> UploadedEvidence? {
        try await memory.uploaded(with: capture)
    }
    /// Reads the attestation that a result rests on.
    package func laterAttestation(for capture: CaptureID) async throws(StoreError) -> LaterAttestation? {
        try await memory.laterAttestation(for: capture)
    }
    /// Notes what was done.
    package func recordAudit(_ entries: [AuditEntry]) async throws(StoreError) { try await memory.recordAudit(entries) }
    /// Reads what was done.
    package func auditTrail(of subject: String, limit: Int) async throws(StoreError) -> [AuditEntry] {
        try await memory.auditTrail(of: subject, limit: limit)
    }
    /// Answers when the record can be reached.
    package func ping() async throws(StoreError) { try await memory.ping() }
}
