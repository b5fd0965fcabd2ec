import CaptureModel
import CaptureQueue
import DeviceSimulator
import TestSupport
import Testing

extension MemoryCaptureQueue {
    /// Gives up a new capture for each fault, each of a device of its own.
    func bury(_ faults: [String], seed: UInt64) async throws -> [CaptureID] {
        var maker = SubmissionMaker(seed: seed)
        var buried: [CaptureID] = []
        for fault in faults { buried.append(try await bury(maker.submission(of: maker.device()), fault: fault).id) }
        return buried
    }

    /// Gives up a capture, the only one that waits.
    @discardableResult
    func bury(
        _ capture: CaptureSubmission, _ reason: Reason = .attemptsExhausted, fault: String = "gone",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> DeadLetter {
        #expect(try await enqueue(capture) == .accepted, sourceLocation: sourceLocation)
        let leases = try await claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
        let lease = try #require(leases.first, sourceLocation: sourceLocation)
        let item = LaneSettlement.Item(id: capture.id, disposition: .dead(reason, fault: fault))
        _ = try await settle([
            LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
        ])
        return try #require(try await deadLetter(capture.id), sourceLocation: sourceLocation)
    }

    /// Puts off a capture, the only one that waits, as its bytes have changed.
    func putOffForChangedBytes(
        _ capture: CaptureSubmission, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await enqueue(capture) == .accepted, sourceLocation: sourceLocation)
        let leases = try await claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
        let lease = try #require(leases.first, sourceLocation: sourceLocation)
        _ = try await settle([
            LaneSettlement(
                token: lease.token, device: lease.device, items: [],
                continuation: .delayed(.seconds(60), reason: .bundleCorrupt, fault: "changed"))
        ])
    }
}
