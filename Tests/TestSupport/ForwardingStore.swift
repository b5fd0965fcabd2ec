import CaptureModel
import CaptureStore

/// A record in memory that a test's own type does one thing differently from.
protocol ForwardingStore: CaptureStore {
    var memory: MemoryCaptureStore { get }
}

extension ForwardingStore {
    func register(_ registration: DeviceRegistration) async throws(StoreError) -> RegistrationOutcome {
        try await memory.register(registration)
    }
    func devices(_ ids: [DeviceID]) async throws(StoreError) -> [DeviceID: Device] { try await memory.devices(ids) }
    func revoke(_ device: DeviceID, at moment: Timestamp, reason: String, actor: String) async throws(StoreError)
        -> Bool
    {
        try await memory.revoke(device, at: moment, reason: reason, actor: actor)
    }
    func record(of device: DeviceID) async throws(StoreError) -> DeviceRecord? {
        try await memory.record(of: device)
    }
    func listDevices(after: DeviceID?, limit: Int) async throws(StoreError) -> [Device] {
        try await memory.listDevices(after: after, limit: limit)
    }
    func advanceRequestCounter(of key: KeyID, to counter: UInt32) async throws(StoreError) -> Bool {
        try await memory.advanceRequestCounter(of: key, to: counter)
    }
    func highestCaptureCounter(of key: KeyID) async throws(StoreError) -> UInt32 {
        try await memory.highestCaptureCounter(of: key)
    }
    func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
        try await memory.results(of: captures)
    }
    func recordAudit(_ entries: [AuditEntry]) async throws(StoreError) { try await memory.recordAudit(entries) }
    func auditTrail(of subject: String, limit: Int) async throws(StoreError) -> [AuditEntry] {
        try await memory.auditTrail(of: subject, limit: limit)
    }
    func ping() async throws(StoreError) { try await memory.ping() }
}
