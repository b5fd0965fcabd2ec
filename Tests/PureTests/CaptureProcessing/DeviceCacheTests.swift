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
    private func scene(risk: DeviceRisk? = nil) async throws -> (store: MemoryCaptureStore, device: Device) {
        let store = MemoryCaptureStore(time: { Timestamp(millisecondsSince1970: 1) })
        return (store, try await Self.device(1, risk: risk, in: store))
    }

    private static func device(
        _ number: UInt8, risk: DeviceRisk? = nil, in store: MemoryCaptureStore
    ) async throws -> Device {
        let key = [4] + [UInt8](repeating: number, count: 64)
        let device = Device.phone(
            .attested(publicKey: key, environment: .production, appID: app.text, trustRoot: root.recordedName),
            model: "iPhone16,1", registeredAt: Timestamp(millisecondsSince1970: 1), risk: risk, latestOSVersion: "26.3",
            attestedApp: AttestedApp(bundleVersion: "1314", validationCategory: nil))
        _ = try await store.register(
            DeviceRegistration(
                device: device, attestationObject: [1], clientDataHash: [1], certificateChain: [], receipt: nil,
                osVersion: "26.3", validationCategory: nil, bundleVersion: "1314"))
        return device
    }

    /// Whether a cache knows a device without its store; otherwise it has to have asked the store.
    private static func keeps(
        _ device: Device, in cache: DeviceCache, over store: MemoryCaptureStore, rollout: RolloutPolicy = .none,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Bool {
        let away = StoreError(.unavailable, "away")
        await store.fail(with: away)
        let known: Device?
        do throws(StoreError) {
            known = try await cache.devices([device.id], from: store, rollout: rollout)[device.id]?.device
        } catch {
            known = nil
            #expect(error == away, sourceLocation: sourceLocation)
        }
        await store.fail(with: nil)
        #expect(known == nil || known == device, sourceLocation: sourceLocation)
        return known != nil
    }

    /// Workers may judge by what they have read for so long, and no longer.
    @Test(arguments: [(Duration.seconds(3600), true), (.zero, false)])
    func `a device is read again when its time is over`(lifetime: Duration, isKept: Bool) async throws {
        let (store, device) = try await scene()
        let cache = DeviceCache(entriesMax: 10, lifetime: lifetime, keys: Self.keys, riskWarning: nil)
        _ = try await cache.devices([device.id], from: store, rollout: .none)
        #expect(await Self.keeps(device, in: cache, over: store) == isKept)
    }

    @Test func `no more devices are kept than there may be`() async throws {
        let (store, first) = try await scene()
        let (second, third) = (try await Self.device(2, in: store), try await Self.device(3, in: store))
        let cache = DeviceCache(entriesMax: 2, lifetime: .seconds(3600), keys: Self.keys, riskWarning: nil)
        _ = try await cache.devices([first.id, second.id], from: store, rollout: .none)
        #expect(await Self.keeps(first, in: cache, over: store))
        _ = try await cache.devices([third.id], from: store, rollout: .none)
        #expect(await Self.keeps(third, in: cache, over: store))
        #expect(await !Self.keeps(first, in: cache, over: store))
    }

    @Test func `no more devices are kept than there may be, however many are read at once`() async throws {
        let (store, first) = try await scene()
        let second = try await Self.device(2, in: store)
        let cache = DeviceCache(entriesMax: 1, lifetime: .seconds(3600), keys: Self.keys, riskWarning: nil)
        let read = try await cache.devices([first.id, second.id], from: store, rollout: .none)
        #expect(Set(read.keys) == [first.id, second.id])
        let isFirstKept = await Self.keeps(first, in: cache, over: store)
        let isSecondKept = await Self.keeps(second, in: cache, over: store)
        #expect(isFirstKept != isSecondKept)
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
        let cache = DeviceCache(entriesMax: 10, lifetime: .seconds(3600), keys: keys, riskWarning: nil)
        _ = try await cache.devices([device.id], from: store, rollout: rollout)
        #expect(await Self.keeps(device, in: cache, over: store, rollout: rollout) == isKept)
    }

    /// A new device's first count comes right after its registration: until then it speaks neither for it nor against it.
    @Test(arguments: [(nil, true), (50, false), (0, false)] as [(Int?, Bool)])
    func `where counts of keys are looked at, a device is read again until its count speaks against it`(
        riskWarning: Int?, isKept: Bool
    ) async throws {
        let (store, device) = try await scene()
        let cache = DeviceCache(
            entriesMax: 10, lifetime: .seconds(3600), keys: Self.keys, riskWarning: riskWarning)
        _ = try await cache.devices([device.id], from: store, rollout: .none)
        #expect(await Self.keeps(device, in: cache, over: store) == isKept)
    }

    @Test(arguments: [(10, true), (9, true), (11, false)])
    func `a count above the limit may not come to be above it`(metric: Int, mayExceed: Bool) async throws {
        let risk = DeviceRisk(metric: metric, at: Timestamp(millisecondsSince1970: 1))
        let (_, device) = try await scene(risk: risk)
        #expect(KnownDevice(device, keys: Self.keys).mayExceed(10) == mayExceed)
    }
}
