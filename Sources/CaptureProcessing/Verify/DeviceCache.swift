import CaptureModel
import CaptureStore
import Rollout
import Synchronization

/// Keeps devices and their parsed keys for a while, so that a batch reads only devices that are new to this worker.
///
/// It decides nothing that may change for the worse: the settling transaction looks up revocation.
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

    /// - Parameter riskWarning: The risk metric above which a capture gets a warning; `nil` if it is not looked at.
    init(entriesMax: Int, lifetime: Duration, keys: TrustedKeys, riskWarning: Int?) {
        self.entriesMax = entriesMax
        self.lifetime = lifetime
        self.keys = keys
        self.riskWarning = riskWarning
    }

    /// Reads devices, from the store where need be; ids that are not registered are missing from the answer.
    ///
    /// An entry is read anew if its device's key is not taken, as the key may have been attested under another root
    /// since; or if Apple's count may exceed the limit by now.
    /// - Parameter rollout: An entry is read anew as well if the rollout holds its device back, or may do so.
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
            // Starting over is simpler than keeping the order of use, and costs one read per device.
            if entries.count + read.count > entriesMax { entries.removeAll(keepingCapacity: true) }
            for (id, known) in read.prefix(entriesMax) { entries[id] = Entry(known: known, expiresAt: expiry) }
        }
        return found
    }
}
