import AppAttest
import CaptureModel
import CaptureQueue
import CaptureStore
import CoreMetrics
import Crypto
import DeviceSimulator
import Observability
import TestSupport
import Testing

@Suite("A counter that an attested key has signed twice", .timeLimit(.minutes(1)))
struct CounterConflictAlarmTests {
    private static let app = "TEAM123456.com.example.capture"
    private static let alarm = "critical an attested key has signed two captures with one counter"

    /// A record that may not tell of conflicts.
    private struct ReticentStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let tells: Bool

        func counterConflicts(of captures: [CaptureID]) async throws(StoreError) -> [CounterConflict] {
            guard tells else { throw StoreError(.unavailable, "away") }
            return try await memory.counterConflicts(of: captures)
        }
    }

    /// What a worker has told of two captures with one counter, of which the second one is a replay.
    private struct Told {
        let captures: [CaptureID]
        let log: LogRecorder
        let conflicts: String?
    }

    /// A phone and a copy of its key, registered as one device.
    private static func twins(in memory: MemoryCaptureStore) async throws -> [Crowd.Member] {
        var generator = SeededGenerator(seed: 1)
        let (id, key) = (DeviceID.make(using: &generator), P256.Signing.PrivateKey())
        let (phone, copy) = (SimulatedDevice(appID: app, key: key), SimulatedDevice(appID: app, key: key))
        let device = Device.phone(
            .attested(
                publicKey: phone.publicKey, environment: .production, appID: app,
                trustRoot: TrustRoot.appleAppAttestation.recordedName),
            id: id, model: phone.model, registeredAt: Timestamp.systemTime())
        let outcome = try await memory.register(
            DeviceRegistration(device: device, attestationObject: [0], clientDataHash: [0]))
        #expect(outcome == .created)
        return [(id: id, device: phone), (id: id, device: copy)]
    }

    /// Has the phone and the copy sign the picture of a seed each, both with counter 1.
    private func told(of seeds: [UInt64], tells: Bool = true) async throws -> Told {
        let (memory, bundles) = (MemoryCaptureStore(time: Timestamp.systemTime), MemoryBundleStore())
        let queue = MemoryCaptureQueue(time: Timestamp.systemTime, bundles: bundles)
        let handOff = HandOff(queue: queue, bundles: bundles, now: Timestamp.systemTime) { moment in
            var generator = SystemRandomNumberGenerator()
            return CaptureID.make(at: moment, using: &generator)
        }
        var captures: [CaptureID] = []
        let (twins, moment) = (try await Self.twins(in: memory), Timestamp.systemTime())
        for (member, seed) in zip(twins, seeds) {
            let picture = try SyntheticCapture.bundle(
                bytes: SyntheticCapture.bundleBytesMin, seed: seed, capturedAt: moment)
            captures.append(try await handOff.send(SharedPicture(picture), from: member))
        }
        let sent = captures
        let (registry, recorder) = (PrometheusRegistry(), LogRecorder())
        try await withMetricsFactory(registry) { () async throws in
            try await withWorker(
                of: queue, bundles: bundles, store: ReticentStore(memory: memory, tells: tells), app: Self.app,
                now: Timestamp.systemTime, logger: recorder.logger
            ) {
                try await eventually { try await queue.status(of: sent).allSatisfy { $0?.state.isWaiting == false } }
            }
        }
        let reasons = try await queue.status(of: sent).map { $0?.reason }
        #expect(reasons == [nil, .counterReplay])
        let conflicts = try StrictExposition(registry.render()).value("capture_replay_conflicts_total")
        return Told(captures: sent, log: recorder, conflicts: conflicts)
    }

    @Test func `another picture signed with the counter of a verified capture is told, with both captures`()
        async throws
    {
        let told = try await told(of: [1, 2])
        #expect(told.log.lines.count { $0 == Self.alarm } == 1)
        #expect(told.log.values(of: "verified_capture_id") == ["\(told.captures[0])"])
        #expect(told.conflicts == "1")
    }

    @Test func `the same picture signed again is a replay, and no alarm`() async throws {
        let told = try await told(of: [1, 1])
        #expect(!told.log.lines.contains(Self.alarm))
        #expect(told.conflicts == "0")
    }

    @Test func `a record that cannot tell stops no batch, and the log says that nobody knows`() async throws {
        let told = try await told(of: [1, 2], tells: false)
        let line = "warning whether replays have other content than the verified captures cannot be read"
        #expect(told.log.lines.count { $0 == line } == 1)
        #expect(!told.log.lines.contains(Self.alarm))
        #expect(told.conflicts == "0")
    }
}
