import CaptureModel
import CaptureOperations
import CaptureQueue
import Foundation
import Testing

@Suite struct `The queue as JSON` {
    private struct Answer: Decodable {
        var fill: Double
    }

    /// Neither its captures nor its bytes tell of one full partition.
    @Test(arguments: [nil, 1.0]) func `the queue as JSON says how full the fullest partition is`(fill: Double?) throws {
        let load = QueueLoad(
            captures: 1, bytes: 95, deadLetters: 0, readyLanes: 1, delayedLanes: 0, leasedLanes: 0, capturesMax: 100,
            bytesMax: 100, fill: fill)
        let answer = try JSONDecoder().decode(Answer.self, from: JSONEncoder().encode(QueueDocument(load)))
        #expect(answer.fill == fill ?? 0.95)
    }

    @Test func `the queue as JSON has a rate of few captures in a day`() {
        var day = Tally(start: Timestamp(millisecondsSince1970: 0), duration: .seconds(88_441))
        day.accepted = 48
        #expect(abs(day.perSecond(day.accepted) * 88_441 - 48) < 0.001)
    }
}
