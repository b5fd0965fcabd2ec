import AppleDeviceCheck
import CaptureModel
import CaptureProcessing
import CaptureStore
import Logging
import TestSupport
import Testing

@Suite("A renewer of receipts while Apple or the record is away", .timeLimit(.minutes(1)))
struct ReceiptOutageTests {
    private let scene: ReceiptRounds

    init() throws { scene = try ReceiptRounds() }

    @Test func `a renewer says once that Apple is not reached, and why, and once that it is again`() async throws {
        let (log, _, asked) = try await scene.run([
            .due(.unreachable("connect timeout")), .nothingDue, .due(.unreachable("reset")), .due(.notYet),
            .due(.notYet),
        ])
        #expect(log.lines == ["warning Apple is not reached", "notice Apple is reached again"])
        #expect(log.values(of: "fault") == ["connect timeout"] && asked.count == 4)
    }

    @Test func `a renewer leaves a refused key alone for as long where the record does not take the answer`()
        async throws
    {
        let (log, _, asked) = try await scene.run([.unsettled(.unauthorized), .nothingDue, .due(.notYet)])
        #expect(asked == [.zero, ReceiptRounds.alarmPause])
        #expect(
            log.lines == [
                "error receipts are not exchanged", "error receipts are not exchanged",
                "notice receipts are exchanged again",
            ])
        #expect(log.values(of: "fault").last == "Apple does not take the developer key")
    }

    @Test func `a renewer leaves a record that takes no answer alone for a while`() async throws {
        let (log, clock, _) = try await scene.run([.unsettled(.notYet), .unsettled(.unreachable("away")), .nothingDue])
        #expect(clock.slept == [.seconds(10), .seconds(10), .seconds(5)])
        #expect(
            log.lines == [
                "error receipts are not exchanged", "warning Apple is not reached",
                "notice receipts are exchanged again",
            ])
    }

    @Test(arguments: [ReceiptRound.unsettled(.notYet), .recordAway])
    func `a renewer tells who asks for one turn that the record is away`(round: ReceiptRound) async throws {
        let clock = ImmediateClock()
        let renewer = scene.renewer(of: try scene.script([round], clock), LogRecorder(), clock)
        await #expect(throws: StoreError(.unavailable, "")) { try await renewer.renewNext() }
    }

    @Test func `a renewer says once that the record is away, and that it goes on when nothing else is in its way`()
        async throws
    {
        let (log, _, _) = try await scene.run([.recordAway, .recordAway, .nothingDue, .nothingDue])
        #expect(log.lines == ["error receipts are not exchanged", "notice receipts are exchanged again"])
        let (both, _, _) = try await scene.run([.due(.unauthorized), .recordAway, .nothingDue, .due(.notYet)])
        #expect(
            both.lines == [
                "error receipts are not exchanged", "error receipts are not exchanged",
                "notice receipts are exchanged again",
            ])
    }
}
