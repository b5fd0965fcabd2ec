import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import Synchronization
import TestSupport
import Testing

/// The queues that the conformance suite runs against.
enum ConformingQueue: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case memory
    case redis
    case redisWithPartitions

    var testDescription: String { rawValue }

    /// Lends an empty queue, whose leases lapse when time passes.
    func with(
        capturesMax: Int = 1000, capturesPerDeviceMax: Int = 1000, bytesMax: Int = 1_000_000,
        bytesPerDeviceMax: Int = 1_000_000, deliveriesMax: Int = 2,
        _ body: (Conformance) async throws -> Void
    ) async throws {
        switch self {
        case .memory:
            let time = ManualTime()
            var configuration = MemoryCaptureQueue.Configuration()
            configuration.capturesMax = capturesMax
            configuration.capturesPerDeviceMax = capturesPerDeviceMax
            configuration.bytesMax = bytesMax
            configuration.bytesPerDeviceMax = bytesPerDeviceMax
            configuration.deliveriesMax = deliveriesMax
            let queue = MemoryCaptureQueue(configuration: configuration, time: time.source)
            try await body(
                Conformance(
                    worker: { queue.worker($0) },
                    upload: { try await queue.enqueue($0) },
                    renew: { ($0 as? MemoryCaptureQueue)?.renewLeases() },
                    passTime: { time.advance(by: .seconds(120)) },
                    setPaused: { queue.setPaused($0) }
                )
            )
        case .redis, .redisWithPartitions:
            var configuration = RedisQueueConfiguration.ofTests
            let partitions = self == .redis ? 1 : 4
            // Each partition has its share; the suite's limits are for a single device.
            configuration.capturesMax = capturesMax * partitions
            configuration.capturesPerDeviceMax = capturesPerDeviceMax
            configuration.bytesMax = bytesMax * partitions
            configuration.bytesPerDeviceMax = bytesPerDeviceMax
            configuration.deliveriesMax = deliveriesMax
            try await QueueFixture.with(partitions: partitions, configuration: configuration) { fixture in
                let gateway = fixture.queue("gateway")
                try await gateway.applyLimits()
                try await body(
                    Conformance(
                        worker: { fixture.queue($0) },
                        upload: { try await fixture.upload($0) },
                        renew: { try await fixture.renew($0) },
                        passTime: { try await fixture.passTime() },
                        setPaused: { try await gateway.setPaused(since: $0 ? Timestamp.systemTime() : nil) }
                    )
                )
            }
        }
    }
}

/// A queue from all its sides.
struct Conformance: Sendable {
    let worker: @Sendable (String) -> any CaptureQueue
    /// Stores bytes and enqueues.
    let upload: @Sendable (CaptureSubmission) async throws -> EnqueueOutcome
    /// Renews what a worker holds.
    let renew: @Sendable (any CaptureQueue) async throws -> Void
    /// All leases lapse, all delays are over.
    let passTime: @Sendable () async throws -> Void
    let setPaused: @Sendable (Bool) async throws -> Void
}

extension Lease {
    /// The ids of its captures.
    var ids: [CaptureID] { jobs.map(\.id) }

    /// Gives the lane back with the first captures settled.
    func settling(
        _ count: Int? = nil, _ continuation: LaneSettlement.Continuation = .ready, as decision: Decision = .verified
    ) -> LaneSettlement {
        LaneSettlement(
            token: token, device: device,
            items: ids.prefix(count ?? jobs.count).map {
                .init(id: $0, disposition: .settled(decision))
            },
            continuation: continuation
        )
    }

    /// Gives the lane back with its captures given up.
    func burying(_ reason: Reason = .internal, fault: String = "test") -> LaneSettlement {
        LaneSettlement(
            token: token, device: device,
            items: ids.map { .init(id: $0, disposition: .dead(reason, fault: fault)) },
            continuation: .ready)
    }
}

extension CaptureQueue {
    /// Claims without waiting.
    func claimNow(_ lanesMax: Int = 10, captures: Int = 4) async throws -> [Lease] {
        try await claim(lanesMax: lanesMax, capturesPerLaneMax: captures, wait: .zero)
    }

    /// Claims the only lane there is.
    func claimOne(captures: Int = 4) async throws -> Lease {
        try #require(try await claimNow(captures: captures).first)
    }

    /// The state of one capture.
    func state(of capture: CaptureSubmission) async throws -> CaptureState? {
        try await status(of: [capture.id]).first??.state
    }
}
