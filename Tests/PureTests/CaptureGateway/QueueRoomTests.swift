import CaptureModel
import CaptureQueue
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite("Whether the queue has room, for all uploads together", .timeLimit(.minutes(1)))
struct QueueRoomTests {
    /// A queue with room that counts questions, and answers once it may.
    private struct AskedQueue: ReadableQueue {
        let questions = CallCount()
        let mayAnswer = Latch()
        var whileAsked: @Sendable () -> Void = {}

        func load() async throws(QueueError) -> QueueLoad {
            questions.add()
            do { try await mayAnswer.waitUntilOpen() } catch { throw QueueError(.unavailable, "nobody waits any more") }
            whileAsked()
            return QueueLoad(
                captures: 0, bytes: 0, deadLetters: 0, readyLanes: 0, delayedLanes: 0, leasedLanes: 0,
                capturesMax: 10, bytesMax: 1_000)
        }
        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] { captures.map { _ in nil } }
    }

    /// Each question is a call for every partition: those of a few uploads would fill the connections to Redis.
    @Test func `the queue is asked once for all uploads that come at the same time`() async throws {
        let (queue, time, looks) = (AskedQueue(), ManualTime(), CallCount())
        let room = QueueRoom(
            queue: queue,
            now: {
                looks.add()
                return time.now
            })
        try await withThrowingTaskGroup(of: Void.self) { uploads in
            for _ in 0..<100 { uploads.addTask { try await room.admit(bytes: 1) } }
            // Each looks at the clock before it asks.
            try await eventually { looks.count >= 100 }
            queue.mayAnswer.open()
            try await uploads.waitForAll()
        }
        #expect(queue.questions.count == 1)
    }

    /// Just when Redis is slow every upload would ask anew.
    @Test func `an answer that took longer than answers are kept is kept as long as any other`() async throws {
        let time = ManualTime()
        let queue = AskedQueue { time.advance(by: .seconds(1)) }
        queue.mayAnswer.open()
        let room = QueueRoom(queue: queue, now: time.source)
        for _ in 0..<3 { try await room.admit(bytes: 1) }
        #expect(queue.questions.count == 1)
        time.advance(by: .seconds(1))
        try await room.admit(bytes: 1)
        #expect(queue.questions.count == 2)
    }

    /// It would count until the clock is there again, as long as that may be.
    @Test func `an answer from before the clock was set back is not kept`() async throws {
        let (queue, time) = (AskedQueue(), ManualTime())
        queue.mayAnswer.open()
        let room = QueueRoom(queue: queue, now: time.source)
        try await room.admit(bytes: 1)
        time.advance(by: .seconds(-1))
        try await room.admit(bytes: 1)
        #expect(queue.questions.count == 2)
    }
}
