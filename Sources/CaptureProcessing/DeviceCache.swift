import AppAttest
import CaptureModel
import CaptureStore
import Synchronization

/// A device with its key ready for verification.
struct KnownDevice: Sendable {
    let device: Device
    /// `nil` when its key could not be read, so that no assertion can be its own.
    let key: AssertionKey?
    let appID: AppID?

    init(_ device: Device) {
        self.device = device
        key = device.publicKey.flatMap { bytes in
            switch device.algorithm {
            case .p256: try? AssertionKey(x963: bytes)
            case .ed25519: try? AssertionKey(ed25519: bytes)
            }
        }
        appID = device.appID.flatMap { AppID($0) }
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
    func devices(
        _ ids: Set<DeviceID>, from store: some CaptureStore
    ) async throws(StoreError) -> [DeviceID: KnownDevice] {
        let now = ContinuousClock.now
        var found: [DeviceID: KnownDevice] = entries.withLock { entries in
            var found: [DeviceID: KnownDevice] = [:]
            for id in ids {
                if let entry = entries[id], entry.expiresAt > now { found[id] = entry.known }
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
