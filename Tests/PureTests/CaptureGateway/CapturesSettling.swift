import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

extension CapturesGateway {
    /// Uploads a capture and gives its id.
    func accepted(seed: UInt64 = 1) async throws -> CaptureID {
        try #require(try await upload(capture(seed: seed)).captureID)
    }

    /// Works everything that is queued as a worker would, with a verdict of the test's.
    /// - Parameters:
    ///   - isGivenUp: Another worker gives the captures up, although the record has their results.
    ///   - risk: What the check `risk` has judged.
    func settle(_ rejection: Reason? = nil, isGivenUp: Bool = false, risk: JudgedRisk? = nil) async throws {
        let leases = try await backend.queue.claim(lanesMax: 8, capturesPerLaneMax: 8, wait: .zero)
        for lease in leases {
            var items: [LaneSettlement.Item] = []
            for case .valid(let job) in lease.jobs {
                let device = try await backend.store.devices([job.device])[job.device]
                backend.time.advance(by: .microseconds(1500))
                let verified = ExaminedCapture(
                    job: job, clientDataHash: .hash([1]), checks: [Check(.assertion, .pass)],
                    outcome: .of(device, counter: 1, rejection: rejection), capturedAt: job.receivedAt,
                    verifiedAt: backend.time.source(), risk: risk
                )
                backend.time.advance(by: .milliseconds(2))
                let settled = try await backend.store.settle([verified], policy: .strict)[0]
                backend.time.advance(by: .milliseconds(5))
                let disposition: LaneSettlement.Disposition =
                    isGivenUp
                    ? .dead(.bundleMissing, fault: "gone") : .settled(settled.decision)
                items.append(.init(id: job.id, disposition: disposition))
            }
            _ = try await backend.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: items, continuation: .ready)])
        }
    }

    /// Settles everything that is queued in the queue alone, as of a record that has lost the results.
    func settleInQueue() async throws {
        for lease in try await backend.queue.claim(lanesMax: 8, capturesPerLaneMax: 8, wait: .zero) {
            let items = lease.jobs.map {
                LaneSettlement.Item(id: $0.id, disposition: .settled(.verified))
            }
            _ = try await backend.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: items, continuation: .ready)])
        }
    }

    /// Gives everything up that is queued, as a worker does that finds no bytes, or for another reason.
    func bury(_ reason: Reason = .bundleMissing) async throws {
        for lease in try await backend.queue.claim(lanesMax: 8, capturesPerLaneMax: 8, wait: .zero) {
            let captures = lease.jobs.map(\.id)
            let items = captures.map { LaneSettlement.Item(id: $0, disposition: .dead(reason, fault: "gone")) }
            if reason == .bundleMissing { try await backend.bundles.removeSettled(captures) }
            _ = try await backend.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: items, continuation: .ready)])
        }
    }

    func status(
        _ id: CaptureID, _ query: String = "", _ headers: [(String, String)] = Self.dashboard
    ) async throws -> GatewayCaller.Answer {
        try await send(.GET, "/api/v1/captures/\(id)\(query)", headers: headers)
    }
}

extension ExaminedCapture {
    /// The finding on a capture of a device that nobody knows.
    static func ofNobody(_ submission: CaptureSubmission, at now: Timestamp) -> ExaminedCapture {
        ExaminedCapture(
            job: CaptureJob(submission: submission, receivedAt: now, claimedAt: now, attempts: 1, isRedriven: false),
            clientDataHash: .hash([]), checks: [], outcome: .rejected(.deviceUnknown, device: nil, counter: nil),
            capturedAt: nil, verifiedAt: now)
    }
}
