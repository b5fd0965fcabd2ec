import CaptureModel
import CaptureQueue
import Foundation
import Testing

@testable import CaptureProcessing

@Suite("The tries to give back a batch")
struct SettlementTriesTests {
    private static func lane(_ number: Int) -> LaneSettlement {
        LaneSettlement(
            token: LaneToken(text: "\(number)-0#1", partition: number), device: DeviceID(UUID()), items: [],
            continuation: .ready)
    }

    private let lanes = (0..<4).map(Self.lane)
    private let away = QueueError(.unavailable, "LOADING")

    @Test func `the tries to give back a batch send again only what may be settled later`() {
        var tries = SettlementTries(lanes)
        #expect(tries.begin() == lanes)
        let refused = QueueError(.refused, "WRONGTYPE")
        #expect(tries.note([.settled, .failed(refused), .failed(away), .fenced]) == away)
        #expect(tries.begin() == [lanes[2]])
        #expect(tries.note([.settled]) == nil)
        #expect(tries.settled == [lanes[0], lanes[2]] && tries.fenced == [lanes[3]])
        #expect(tries.failed.map { $0.settlement } == [lanes[1]] && tries.failed.map { $0.fault } == ["\(refused)"])
        #expect(tries.open.isEmpty && tries.doubtful.isEmpty)
    }

    /// The lease is this worker's still: nobody has taken the lane over.
    @Test func `the tries to give back a batch end for a lane that has other captures at its head`() {
        var tries = SettlementTries(lanes)
        _ = tries.begin()
        #expect(tries.note([.mismatch, .failed(away), .settled, .settled]) == away)
        _ = tries.begin()
        #expect(tries.note([.mismatch]) == nil)
        #expect(tries.failed.map { $0.settlement } == [lanes[0], lanes[1]])
        #expect(tries.open.isEmpty && tries.fenced.isEmpty && tries.doubtful.isEmpty)
    }

    @Test func `the tries to give back a batch doubt what is fenced after a try whose answer is missing`() {
        var tries = SettlementTries(lanes)
        _ = tries.begin()
        // No answer came.
        _ = tries.begin()
        #expect(tries.note([.fenced, .settled, .settled, .settled]) == nil)
        #expect(tries.doubtful == [lanes[0]] && tries.fenced.isEmpty)
    }

    @Test func `the tries to give back a batch end with what was settled before the whole call was refused`() {
        var tries = SettlementTries(lanes)
        _ = tries.begin()
        #expect(tries.note([.settled, .failed(away), .failed(away), .failed(away)]) == away)
        tries.fail(for: "NOPERM")
        #expect(tries.settled == [lanes[0]] && tries.open.isEmpty)
        #expect(tries.failed.map { $0.settlement } == Array(lanes[1...]))
    }
}
