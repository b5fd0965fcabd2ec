import CaptureQueue
import RedisClient
import Testing

@testable import RedisCaptureQueue

@Suite("The load as Redis answers it")
struct LoadReplyTests {
    /// No two numbers are alike, so that none can be taken for another.
    private func reply(paused: Int64 = 0, age: Int64 = 10) -> RedisValue {
        .array(([1, 2, 3, 4, 5, 6, 70, 80, paused, age] as [Int64]).map { .integer($0) })
    }

    private var load: QueueLoad {
        QueueLoad(
            captures: 1, bytes: 2, deadLetters: 3, readyLanes: 4, delayedLanes: 5, leasedLanes: 6, capturesMax: 70,
            bytesMax: 80, fill: 0.025, isPaused: false, oldestLaneAge: .milliseconds(10))
    }

    @Test func `each figure of the answer is the one that it stands for`() {
        #expect(QueueLoad(reply: reply()) == load)
        #expect(QueueLoad(reply: reply(paused: 1))?.isPaused == true)
        #expect(QueueLoad(reply: reply(age: 0))?.oldestLaneAge == .zero)
        #expect(QueueLoad(reply: reply(age: -1)).map { $0.oldestLaneAge == nil } == true)
    }

    @Test(arguments: [9, 11])
    func `an answer with another number of figures is malformed`(count: Int) {
        #expect(QueueLoad(reply: .array(Array(repeating: .integer(1), count: count))) == nil)
        #expect(QueueLoad(reply: .null) == nil)
    }

    @Test func `two partitions are added, and of fill and age the higher one counts`() {
        var sum = load
        sum.add(
            QueueLoad(
                captures: 100, bytes: 200, deadLetters: 300, readyLanes: 400, delayedLanes: 500, leasedLanes: 600,
                capturesMax: 7000, bytesMax: 8000, fill: 0.5, isPaused: true, oldestLaneAge: nil))
        #expect(
            sum
                == QueueLoad(
                    captures: 101, bytes: 202, deadLetters: 303, readyLanes: 404, delayedLanes: 505, leasedLanes: 606,
                    capturesMax: 7070, bytesMax: 8080, fill: 0.5, isPaused: true, oldestLaneAge: .milliseconds(10)))
    }
}
