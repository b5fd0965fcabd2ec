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

    /// Every capture is verified, by the strict policy: so each device's were settled in their order.
    private func audit(
        _ accepted: [CaptureID: DeviceID], in store: PostgresCaptureStore,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var counters: [DeviceID: [UInt32]] = [:]
        for page in Array(accepted.keys).pages(of: 500) {
            let results = try await store.results(of: page)
            #expect(results.count == page.count, sourceLocation: sourceLocation)
            for result in results.values {
                if result.verdict != .verified {
                    Issue.record("\(result.id): \(String(describing: result.reason))", sourceLocation: sourceLocation)
                }
                counters[result.device, default: []].append(result.counter ?? 0)
            }
        }
        for (device, used) in counters {
            #expect(
                used.sorted() == Array(1...UInt32(used.count)), "the counters of device \(device)",
                sourceLocation: sourceLocation)
        }
    }

    /// How soon is measured by `RecoveryTimeTests`.
    @Test func `a worker that is killed loses nothing, and another takes its lanes over`() async throws {
        // However often the heir starves and its short lease runs out: nothing is a dead letter for that.
        let stack = try await Stack.start(settings: [
            "CAPTURE_QUEUE_LEASE": "1s", "CAPTURE_QUEUE_DELIVERIES_MAX": "100",
        ])
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(20, in: store)
            let capture = try Crowd.smallCapture()
            let victim = try stack.worker(["CAPTURE_WORKER_CAPTURES_PER_LANE_MAX": "1"])
            try await victim.line(containing: "worker is ready")
            async let uploads = crowd.enqueue(rounds: 40, sharing: capture, queue: queue, bundles: bundles)
            try await freeze(victim, in: queue)
            try await victim.kill()
            let accepted = try await uploads
            let heir = try stack.worker()
            try await drain(queue)
            try await audit(accepted, in: store)
            #expect(try await queue.counters()["taken_over"] ?? 0 > 0)
            try await heir.expectStop()
        }
    }

    /// Stops a worker (SIGSTOP) at a moment at which it holds lanes.
    private func freeze(_ worker: LeashedProcess, in queue: RedisCaptureQueue) async throws {
        try await eventually {
            worker.signal(SIGSTOP)
            // When Redis answers for the second time, it has done what the worker had sent before.
            for _ in 1...2 {
                guard try await queue.load().leasedLanes > 0 else {
                    worker.signal(SIGCONT)
                    return false
                }
            }
            return true
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
            try await worker.expectStop()
        }
    }
}
