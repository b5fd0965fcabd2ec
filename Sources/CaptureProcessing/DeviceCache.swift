import CaptureModel
import CaptureStore
import Rollout
import Synchronization

/// Keeps devices and their parsed keys for a while, so that a batch reads only those that are new to this worker.
///
/// Nothing that may change for the worse is decided from it: revocation is looked up by the settling transaction.
final class DeviceCache: Sendable {
    private struct Entry {
        let known: KnownDevice
        let expiresAt: ContinuousClock.Instant
    }

    private let entries = Mutex<[DeviceID: Entry]>([:])
    private let entriesMax: Int
    private let lifetime: Duration
    private let keys: TrustedKeys
    private let riskWarning: Int?

    /// - Parameter riskWarning: From which of Apple's counts on a device is warned of; `nil` where none is looked at.
    init(entriesMax: Int, lifetime: Duration, keys: TrustedKeys, riskWarning: Int?) {
        self.entriesMax = entriesMax
        self.lifetime = lifetime
        self.keys = keys
        self.riskWarning = riskWarning
    }

    /// Reads devices, from the store where need be; ids that are not registered are missing from the answer.
    ///
    /// What is kept of a device whose key is not taken is not relied on: it may have been attested under another root
    /// since. Neither is what is kept of one that Apple's count may have come to speak against.
    /// - Parameter rollout: What is kept of a device that it holds back, or may hold back, is not relied on either.
    func devices(
        _ ids: Set<DeviceID>, from store: some CaptureStore, rollout: RolloutPolicy
    ) async throws(StoreError) -> [DeviceID: KnownDevice] {
        let now = ContinuousClock.now
        var found: [DeviceID: KnownDevice] = entries.withLock { entries in
            var found: [DeviceID: KnownDevice] = [:]
            for id in ids {
                guard let entry = entries[id], entry.expiresAt > now, entry.known.objection == nil,
                    !entry.known.mayBeHeldBack(by: rollout),
                    !(riskWarning.map { entry.known.mayExceed($0) } ?? false)
                else { continue }
                found[id] = entry.known
            }
            return found
        }
        let missing = ids.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found }
        let read = try await store.devices(Array(missing)).mapValues { KnownDevice($0, keys: keys) }
        found.merge(read) { _, new in new }
        let expiry = now.advanced(by: lifetime)
        entries.withLock { entries in
            // Starting over is simpler than the order of use, and costs one read a device.
            if entries.count + read.count > entriesMax { entries.removeAll(keepingCapacity: true) }
            for (id, known) in read.prefix(entriesMax) { entries[id] = Entry(known: known, expiresAt: expiry) }
        }
        return found
    }
}
