import AppAttest
import CaptureModel
import CaptureStore
import Rollout
import Synchronization

/// A device with its key ready for verification.
///
/// A class that never changes: it is looked up for every capture, and copied with a single reference.
final class KnownDevice: Sendable {
    let device: Device
    /// `nil` when its key could not be read, so that no assertion can be its own.
    let key: AssertionKey?
    let appID: AppID?
    /// As rollouts judge it.
    let judged: RolloutDevice

    init(_ device: Device) {
        self.device = device
        key = device.publicKey.flatMap { bytes in
            switch device.algorithm {
            case .p256: try? AssertionKey(x963: bytes)
            case .ed25519: try? AssertionKey(ed25519: bytes)
            }
        }
        appID = device.appID.flatMap { AppID($0) }
        judged = RolloutDevice(key: device.keyID, osVersion: device.latestOSVersion)
    }

    /// Whether a rollout refuses the system, as far as this worker knows: it may have been attested anew since.
    ///
    /// A mark under `monitor` refuses nothing, and may come from what was known a cache's lifetime ago.
    func isHeldBack(by rollout: RolloutPolicy) -> Bool {
        appID.flatMap { rollout.ruling(on: judged, of: $0, extensions: nil) }?.rejection != nil
    }
}

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

    init(entriesMax: Int, lifetime: Duration) {
        self.entriesMax = entriesMax
        self.lifetime = lifetime
    }

    /// Reads devices, from the store where need be; ids that are not registered are missing from the answer.
    /// - Parameter rollout: What is kept of a device that it holds back is not relied on.
    func devices(
        _ ids: Set<DeviceID>, from store: some CaptureStore, rollout: RolloutPolicy
    ) async throws(StoreError) -> [DeviceID: KnownDevice] {
        let now = ContinuousClock.now
        var found: [DeviceID: KnownDevice] = entries.withLock { entries in
            var found: [DeviceID: KnownDevice] = [:]
            for id in ids {
                guard let entry = entries[id], entry.expiresAt > now, !entry.known.isHeldBack(by: rollout) else {
                    continue
                }
                found[id] = entry.known
            }
            return found
        }
        let missing = ids.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found }
        let read = try await store.devices(Array(missing)).mapValues(KnownDevice.init)
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
