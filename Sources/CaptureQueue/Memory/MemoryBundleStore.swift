public import CaptureModel
import Synchronization

/// The bytes of captures in this process's memory, for tests.
public final class MemoryBundleStore: BundleStore {
    /// `memory`.
    public static let name = "memory"

    private let bundles = Mutex<[CaptureID: CaptureBundle]>([:])

    /// Makes an empty store.
    public init() {}

    /// How many captures' bytes it holds.
    public var count: Int { bundles.withLock { $0.count } }

    public func put(_ bundle: CaptureBundle, for capture: CaptureID, device: DeviceID) async throws(QueueError) {
        bundles.withLock { $0[capture] = bundle }
    }

    public func fetch(
        _ captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [CaptureBundle?] {
        bundles.withLock { bundles in captures.map { bundles[$0.capture] } }
    }

    public func remove(_ capture: CaptureID, device: DeviceID) async throws(QueueError) {
        drop([capture])
    }

    /// Removes the bytes of captures that are done with.
    func drop(_ captures: [CaptureID]) {
        bundles.withLock { bundles in
            for capture in captures { bundles[capture] = nil }
        }
    }
}
