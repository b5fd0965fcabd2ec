import CaptureModel
import CaptureStore
import TestSupport

/// What becomes of devices, in memory: compromises are the record's, receipt and attestations what a test puts into it.
struct MemoryRegistry: DeviceRegistry, ReceiptStore {
    let store: MemoryCaptureStore
    var standing: ReceiptStanding?
    var summaries: [AttestationSummary] = []
    /// What becomes of a further attestation.
    var reattested = ReattestationOutcome.notAttested
    /// What became of the captures of every registration of a key.
    var counts = DeviceTally.empty

    func compromise(
        _ device: DeviceID, since moment: Timestamp, reason: String, actor: String
    ) async throws(StoreError) -> NotedCompromise? {
        try await store.compromise(device, since: moment, reason: reason, actor: actor)
    }
    func tally(ofKeyOf device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally { counts }
    func affected(
        of device: DeviceID, after counter: UInt32, limit: Int
    ) async throws(StoreError) -> [AffectedResult] {
        try await store.affected(of: device, after: counter, limit: limit)
    }
    func reattest(
        _ attestation: DeviceRegistration, keeping roots: Set<String>, actor: String
    ) async throws(StoreError) -> ReattestationOutcome { reattested }
    func attestations(of device: DeviceID) async throws(StoreError) -> AttestationHistory {
        AttestationHistory(summaries)
    }

    func claimReceipt(
        lease: Duration, token: Int64, passingOver environments: Set<KeyEnvironment>
    ) async throws(StoreError) -> ClaimedReceipt? { nil }
    func settle(
        _ claim: ClaimedReceipt, as settlement: ReceiptSettlement, at moment: Timestamp
    ) async throws(StoreError) -> Bool { false }
    func receipt(of device: DeviceID) async throws(StoreError) -> ReceiptStanding? { standing }
}
