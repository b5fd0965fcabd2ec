import AppAttest
import CaptureModel
import CaptureStore
import Foundation
import Rollout
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("What a worker keeps of devices", .timeLimit(.minutes(1)))
struct DeviceCacheTests {
    private static let app = AppID("TEAM123456.com.example.capture")!
    private static let root = TrustRoot.appleAppAttestation
    private static let keys = TrustedKeys(
        appIDs: [app.text], environments: [.production], trustRoots: [root.sha256])

    private static func policy(_ mode: RolloutMode, minimum: String = "27.0") -> RolloutPolicy {
        let rollout = AppRollout(mode: mode, osVersionMinimum: DottedVersion(minimum))
        return RolloutPolicy(digest: .hash([1]), apps: [app: rollout])
    }

    /// Compares what is signed about the app with what was attested.
    private static func comparing(_ mode: RolloutMode, buckets: Int = RolloutBucket.count) -> RolloutPolicy {
        let rollout = AppRollout(
            mode: mode, bucketsWithin: buckets, extensions: ExtensionPolicy(notBelowAttested: [.bundleVersion]))
        return RolloutPolicy(digest: .hash([2]), apps: [app: rollout])
    }

    /// A store with one device that was attested under iOS 26.3 with an app that names its version, and that device.
    private func scene() async throws -> (store: MemoryCaptureStore, device: Device) {
        let key = [4] + [UInt8](repeating: 1, count: 64)
        let device = Device(
            id: DeviceID(UUID()), keyID: KeyID(publicKey: key), algorithm: .p256, publicKey: key,
            level: .secureEnclave, environment: .production, appID: Self.app.text,
            trustRoot: Self.root.recordedName, unverifiedReason: nil, platform: "ios", model: "iPhone16,1",
            hasLidar: true, revokedAt: nil, registeredAt: Timestamp(millisecondsSince1970: 1), latestOSVersion: "26.3",
            attestedApp: AttestedApp(bundleVersion: "1314", validationCategory: nil))
        let store = MemoryCaptureStore(time: { Timestamp(millisecondsSince1970: 1) })
        _ = try await store.register(
            DeviceRegistration(
                device: device, attestationObject: [1], clientDataHash: [1], certificateChain: [], receipt: nil,
                osVersion: "26.3", validationCategory: nil, bundleVersion: "1314"))
        return (store, device)
    }

    @Test(arguments: [
        (policy(.monitor), true, true), (policy(.off), true, true), (policy(.enforce, minimum: "26.3"), true, true),
        (.none, true, true), (policy(.enforce), true, false), (.none, false, false), (comparing(.monitor), true, true),
        (comparing(.enforce), true, false), (comparing(.enforce, buckets: 0), true, true),
    ])
    func `only a device that would be refused, or could be for what was attested, is read again`(
        rollout: RolloutPolicy, isTrusted: Bool, isKept: Bool
    ) async throws {
        let (store, device) = try await scene()
        var keys = Self.keys
        if !isTrusted { keys.trustRoots = [] }
        let cache = DeviceCache(entriesMax: 10, lifetime: .seconds(3600), keys: keys)
        _ = try await cache.devices([device.id], from: store, rollout: rollout)
        // From here on whoever asks the store fails.
        await store.fail(with: StoreError(.unavailable, "away"))
        if isKept {
            let kept = try await cache.devices([device.id], from: store, rollout: rollout)
            #expect(kept[device.id]?.device == device)
        } else {
            await #expect(throws: StoreError(.unavailable, "")) {
                _ = try await cache.devices([device.id], from: store, rollout: rollout)
            }
        }
    }
}
