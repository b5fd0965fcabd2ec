import CaptureModel
import CaptureQueue
import DeviceSimulator
import TestSupport
import Testing

@testable import RedisCaptureQueue
@testable import capturectl

@Suite("The doctor's look at workers")
struct WorkerCheckTests {
    /// A look at workers by their silence, with as many captures that wait.
    private func check(
        _ silences: [String: Duration], idle: Duration = .seconds(7200), waiting: Int = 0
    ) -> DoctorCheck {
        var examination = QueueExamination()
        // In each of two partitions.
        examination.consumers = [silences.keys, silences.keys].joined().map {
            QueueExamination.Consumer(name: $0, lanes: 0, idle: idle)
        }
        var maker = SubmissionMaker(seed: 1)
        examination.waiting = Set((0..<waiting).map { _ in maker.submission(of: maker.device()).id })
        let load = QueueLoad(
            captures: waiting, bytes: 0, deadLetters: 0, readyLanes: 0, delayedLanes: waiting, leasedLanes: 0,
            capturesMax: 10, bytesMax: 10)
        let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        let workers = silences.map { name, silence in
            WorkerStatus(name: name, version: "1", startedAt: start, silence: silence, leasedLanes: 0)
        }
        let nothing = Tally(start: start, duration: .zero)
        let overview = QueueOverview(
            load: load, workers: workers, lastMinute: nothing, lastHour: nothing, lastDay: nothing)
        return WorkerCheck(
            examination: examination, overview: overview, configuration: RedisQueueConfiguration()
        ).look()
    }

    /// Redis 7.0 does not renew a consumer's idle time where it reads and finds nothing.
    @Test(arguments: [Duration.zero, .seconds(30), .seconds(7200)], [0, 1])
    func `workers that give signs of life are alive, however long nothing came`(idle: Duration, waiting: Int) {
        let check = check(["a": .seconds(2), "b": .seconds(3)], idle: idle, waiting: waiting)
        #expect(check.state == .ok && check.found == "2 workers")
    }

    @Test(arguments: [[:], ["a": .seconds(16)]] as [[String: Duration]])
    func `the lack of workers is told while nothing waits, and wrong while something does`(silences: [String: Duration])
    {
        let idle = check(silences)
        #expect(idle.state == .note && idle.found == "none")
        let wrong = check(silences, idle: .zero, waiting: 1)
        #expect(wrong.state == .problem && wrong.found == "none" && wrong.repair == "start capture-worker")
    }

    @Test func `a worker that is silent and left its name behind is told beside those that work`() {
        let check = check(["a": .seconds(2), "b": .seconds(599)])
        #expect(check.state == .note && check.found == "1 worker, and 1 that left without a word")
    }
}
