@_exported public import CaptureCrowd
package import CaptureModel
package import CaptureQueue
package import CaptureStore
package import DeviceSimulator
import Foundation
// The names of the tests' own tools from before they served the benchmarks as well.
@_exported public import PrivateServers

extension Crowd {
    /// The app that the tests' devices are of.
    private static let appID = "TEAM123456.com.example.capture"

    /// Registers devices at random.
    package static func register(_ count: Int, in store: some CaptureStore) async throws -> Crowd {
        // The system's own has no bytes: handed on by reference it is nowhere, and ThreadSanitizer looks there.
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        return try await register(count, appID: appID, in: store, at: Timestamp(Date()), using: &generator)
    }

    /// Queues one capture for each device and round, without a ledger.
    package func enqueue(
        rounds: Int, sharing capture: SyntheticCapture, queue: some CaptureQueue, bundles: some BundleStore
    ) async throws -> [CaptureID: DeviceID] {
        let handOff = HandOff(queue: queue, bundles: bundles, now: { Timestamp(Date()) }) { receivedAt in
            var generator = SystemRandomNumberGenerator()
            return CaptureID.make(at: receivedAt, using: &generator)
        }
        return try await enqueue(rounds: rounds, sharing: capture, through: handOff)
    }

    /// A capture as small as it may be.
    package static func smallCapture() throws -> SyntheticCapture {
        try .bundle(bytes: SyntheticCapture.bundleBytesMin, seed: 1, capturedAt: Timestamp(Date()))
    }
}
