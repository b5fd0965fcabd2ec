import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Foundation
import GatewayClient
import NIOCore
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

/// Hands captures off behind the gateway: thousands, quickly.
struct Crowd: Sendable {
    let devices: [(id: DeviceID, device: SimulatedDevice)]

    /// Registers devices in the record itself; their attestation is not what these tests are about.
    static func register(_ count: Int, in store: PostgresCaptureStore) async throws -> Crowd {
        var generator = SystemRandomNumberGenerator()
        var devices: [(DeviceID, SimulatedDevice)] = []
        for _ in 0..<count {
            let device = SimulatedDevice(appID: Stack.appID)
            let id = DeviceID.make(using: &generator)
            let registered = Device(
                id: id, keyID: device.keyID, algorithm: .p256, publicKey: device.publicKey, level: .secureEnclave,
                environment: .production, appID: Stack.appID, trustRoot: "TEST ONLY", unverifiedReason: nil,
                platform: "ios", model: device.model, hasLidar: true, revokedAt: nil, registeredAt: Timestamp(Date())
            )
            let outcome = try await store.register(
                DeviceRegistration(
                    device: registered, attestationObject: [0], clientDataHash: [0], certificateChain: [], receipt: nil,
                    osVersion: nil, validationCategory: nil, bundleVersion: nil
                )
            )
            guard outcome == .created else { throw LeashedProcess.Failure(description: "device not registered") }
            devices.append((id, device))
        }
        return Crowd(devices: devices)
    }

    /// Queues one capture for each device and round, in the order of each device's counter.
    func enqueue(
        rounds: Int, sharing capture: SyntheticCapture, queue: RedisCaptureQueue, bundles: RedisBundleStore
    ) async throws -> [CaptureID: DeviceID] {
        try await withThrowingTaskGroup(of: [CaptureID: DeviceID].self) { group in
            for (id, device) in devices {
                group.addTask {
                    var ids: [CaptureID: DeviceID] = [:]
                    for _ in 0..<rounds { ids[try await enqueue(capture, of: device, id, queue, bundles)] = id }
                    return ids
                }
            }
            var all: [CaptureID: DeviceID] = [:]
            for try await ids in group { all.merge(ids) { first, _ in first } }
            return all
        }
    }

    private func enqueue(
        _ capture: SyntheticCapture, of device: SimulatedDevice, _ id: DeviceID, _ queue: RedisCaptureQueue,
        _ bundles: RedisBundleStore
    ) async throws -> CaptureID {
        var generator = SystemRandomNumberGenerator()
        let signed = try CaptureSigner(device: device).sign(capture)
        let captureID = CaptureID.make(at: Timestamp(Date()), using: &generator)
        let bundle = CaptureBundle(photo: ByteBuffer(bytes: capture.photo), depth: ByteBuffer(bytes: capture.depthMap))
        let photo = SHA256Digest.hash(capture.photo)
        let depth = SHA256Digest.hash(capture.depthMap)
        let submission = CaptureSubmission(
            id: captureID, device: id,
            bundleDigest: BundleDigest.compute(
                device: id, assertion: .hash(signed.assertion), photo: photo, depth: depth,
                metadata: .hash(capture.metadata)
            ),
            binding: .concatV1, assertion: signed.assertion, metadata: capture.metadata, photoDigest: photo,
            depthDigest: depth, photoBytes: capture.photo.count, depthBytes: capture.depthMap.count,
            receivedAt: nil, traceParent: nil
        )
        try await bundles.put(bundle, of: submission)
        let outcome = try await queue.enqueue(submission)
        guard outcome == .accepted else { throw LeashedProcess.Failure(description: "not accepted: \(outcome)") }
        return captureID
    }

    /// A capture as small as it may be: a 2 × 2 depth map.
    static func smallCapture() throws -> SyntheticCapture {
        var capture = try SyntheticCapture(
            seed: 1, photoBytes: SyntheticCapture.photoByteRange.lowerBound, capturedAt: Timestamp(Date())
        )
        capture.depthMap = (0..<4).flatMap {
            withUnsafeBytes(of: (Float(1) + Float($0)).bitPattern.littleEndian, Array.init)
        }
        capture.metadata = Array(
            #"{"captured_at":"\#(Timestamp(Date()).rfc3339)","device_model":"iPhone17,1","depth_map_dimensions":{"width":2,"height":2}}"#
                .utf8
        )
        return capture
    }
}

/// Waits until the queue is empty.
func drain(_ queue: RedisCaptureQueue) async throws {
    try await eventually { try await queue.load().captures == 0 }
}

@Suite("A pool of worker processes", .timeLimit(.minutes(10)))
struct WorkerPoolTests {
    @Test func `two hundred devices and a burst of two thousand: no false replay, order kept`() async throws {
        let stack = try await Stack.start()
        let workers = try (0..<4).map { _ in try stack.worker(["CAPTURE_WORKER_CONCURRENCY": "1"]) }
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(200, in: store)
            let burster = try await Crowd.register(1, in: store)
            let capture = try Crowd.smallCapture()
            async let many = crowd.enqueue(rounds: 50, sharing: capture, queue: queue, bundles: bundles)
            async let burst = burster.enqueue(rounds: 2000, sharing: capture, queue: queue, bundles: bundles)
            let accepted = try await many.merging(try await burst) { first, _ in first }
            #expect(accepted.count == 12_000)
            try await drain(queue)
            try await audit(accepted, in: store)
        }
        for worker in workers { worker.signal(SIGTERM) }
        for worker in workers { #expect(try await worker.exitCode() == 0) }
        #expect(try await stack.redis.cli("XLEN", "{cq:0}:ready") == "0")
    }

    /// Every capture is verified; in the order of verification each device's counters only rise.
    private func audit(_ accepted: [CaptureID: DeviceID], in store: PostgresCaptureStore) async throws {
        var counters: [DeviceID: [UInt32]] = [:]
        let ids = Array(accepted.keys)
        for start in stride(from: 0, to: ids.count, by: 500) {
            let page = Array(ids[start..<min(start + 500, ids.count)])
            let results = try await store.results(of: page)
            #expect(results.count == page.count)
            for result in results.values {
                if result.verdict != .verified { Issue.record("\(result.id): \(String(describing: result.reason))") }
                counters[result.device, default: []].append(result.counter ?? 0)
            }
        }
        for (device, used) in counters {
            #expect(Set(used).count == used.count, "device \(device) has a counter twice")
            #expect(used.sorted() == (1...UInt32(used.count)).map { $0 })
        }
    }

    @Test func `a worker that is killed loses nothing, and its lanes go on within the lease`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_LEASE": "1s"])
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(20, in: store)
            let capture = try Crowd.smallCapture()
            let victim = try stack.worker(["CAPTURE_WORKER_CAPTURES_PER_LANE_MAX": "1"])
            let accepted = try await crowd.enqueue(rounds: 20, sharing: capture, queue: queue, bundles: bundles)
            try await victim.kill()
            let heir = try stack.worker()
            try await drain(queue)
            try await audit(accepted, in: store)
            heir.signal(SIGTERM)
            #expect(try await heir.exitCode() == 0)
        }
    }

    @Test func `a worker with bundles of three megabytes stays under 400 MB`() async throws {
        let stack = try await Stack.start()
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(12, in: store)
            let capture = try SyntheticCapture(seed: 3, photoBytes: 3_000_000, capturedAt: Timestamp(Date()))
            let accepted = try await crowd.enqueue(rounds: 8, sharing: capture, queue: queue, bundles: bundles)
            let worker = try stack.worker()
            try await drain(queue)
            #expect(accepted.count == 96)
            let peak = try #require(worker.peakMemoryBytes)
            #expect(peak < 400 << 20, "peak \(peak >> 20) MiB")
            worker.signal(SIGTERM)
            #expect(try await worker.exitCode() == 0)
        }
    }
}
