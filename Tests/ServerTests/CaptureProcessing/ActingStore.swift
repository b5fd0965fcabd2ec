import CaptureModel
import CaptureStore
import Synchronization
import TestSupport

/// A record in memory that has something done once, right before the first call of a kind.
final class ActingStore: ForwardingStore {
    enum Call: Sendable {
        /// Devices are read: before that nothing of a batch is verified.
        case devices
        /// Results are looked up.
        case results
        /// A batch is settled.
        case settle
    }

    let memory: MemoryCaptureStore
    private let call: Call
    private let isDue = Mutex(true)
    private let act: @Sendable () async throws -> Void

    init(_ memory: MemoryCaptureStore, before call: Call, act: @escaping @Sendable () async throws -> Void) {
        (self.memory, self.call, self.act) = (memory, call, act)
    }

    func devices(_ ids: [DeviceID]) async throws(StoreError) -> [DeviceID: Device] {
        try await actOnce(before: .devices)
        return try await memory.devices(ids)
    }

    func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
        try await actOnce(before: .results)
        return try await memory.results(of: captures)
    }

    func settle(_ batch: [ExaminedCapture], policy: CounterPolicy) async throws(StoreError) -> [SettledCapture] {
        try await actOnce(before: .settle)
        return try await memory.settle(batch, policy: policy)
    }

    private func actOnce(before call: Call) async throws(StoreError) {
        guard call == self.call else { return }
        let isDue = isDue.withLock { isDue in
            defer { isDue = false }
            return isDue
        }
        guard isDue else { return }
        do { try await act() } catch { throw StoreError(.refused, "\(error)") }
    }
}
