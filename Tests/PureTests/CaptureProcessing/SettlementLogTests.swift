@testable import CaptureProcessing
import CaptureModel
import CaptureQueue
import DeviceSimulator
import Logging
import TestSupport
import Testing

@Suite("The log's last lines of captures")
struct SettlementLogTests {
    @Test(arguments: [
        (
            Logger.Level.info,
            ["info capture settled", "error capture is a dead letter", "info lane is put off"]
        ),
        (
            .debug,
            ["debug capture settled", "info capture settled", "error capture is a dead letter", "info lane is put off"]
        ),
    ])
    func `a verified capture is passed over at info, what is not verified is told`(
        level: Logger.Level, lines: [String]
    ) {
        var generator = SeededGenerator(seed: 1)
        let jobs = (0..<3).map { _ in Work.job(bytes: 1, generator: &generator) }
        let lease = Work.lease(1, jobs, generator: &generator)
        let recorder = LogRecorder(from: level)
        let log = SettlementLog(batch: [LanePortion(lease: lease, jobs: jobs[...])], logger: recorder.logger)
        let dispositions: [LaneSettlement.Disposition] = [
            .settled(.verified), .settled(.rejected(.counterStale)),
            .dead(.bundleMissing, fault: "gone"),
        ]
        log.note(
            LaneSettlement(
                token: lease.token, device: lease.device,
                items: zip(jobs, dispositions).map { LaneSettlement.Item(id: $0.id, disposition: $1) },
                continuation: .delayed(.seconds(1), fault: "away")))
        #expect(recorder.lines == lines)
    }

    @Test(arguments: [(1, "error lane is put off"), (2, "warning lane is put off")])
    func `bytes that are not those that were accepted are an error at the first try`(attempts: Int, line: String) {
        var generator = SeededGenerator(seed: 2)
        let jobs = (0..<2).map { Work.job(bytes: 1, attempts: $0 == 1 ? attempts : 1, generator: &generator) }
        let lease = Work.lease(1, jobs, generator: &generator)
        let recorder = LogRecorder()
        SettlementLog(batch: [LanePortion(lease: lease, jobs: jobs[...])], logger: recorder.logger).note(
            LaneSettlement(
                token: lease.token, device: lease.device,
                items: [.init(id: jobs[0].id, disposition: .settled(.verified))],
                continuation: .delayed(.seconds(1), reason: .bundleCorrupt, fault: "changed")))
        #expect(recorder.lines == [line])
    }
}
