import CaptureModel
import CaptureQueue
import CoreMetrics
import Observability
import ProcessHealth
import TestSupport
import Testing

/// A queue that is as full as a test says.
private struct StandingLoad: ReadableQueue {
    let standing: QueueLoad

    func load() async throws(QueueError) -> QueueLoad { standing }
    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] { captures.map { _ in nil } }
}

/// A queue for which too many calls of this process wait.
private struct BusyQueue: ReadableQueue {
    func load() async throws(QueueError) -> QueueLoad { throw QueueError(.busy, "too many commands wait") }
    func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] { captures.map { _ in nil } }
}

@Suite("What a program tells of the queue", .timeLimit(.minutes(1)))
struct VitalsTests {
    /// Alerts and the autoscaler go by these: no two numbers are alike, so that none passes for another.
    @Test func `what a program tells of the queue is each number under its own name`() async throws {
        let load = QueueLoad(
            captures: 5, bytes: 7, deadLetters: 1, readyLanes: 2, delayedLanes: 3, leasedLanes: 4, capturesMax: 10,
            bytesMax: 70, fill: 0.875, isPaused: true, oldestLaneAge: .seconds(6))
        let registry = PrometheusRegistry()
        let vitals = Vitals(
            registry: registry, queue: StandingLoad(standing: load),
            store: MemoryCaptureStore(time: ManualTime().source), onAnswer: { _, _ in })
        let text = await withMetricsFactory(registry) { await vitals.exposition() }
        let told = try StrictExposition(try #require(text))
        let numbers = [
            "captures": "5", "captures_max": "10", "bytes": "7", "bytes_max": "70", "fill_ratio": "0.875",
            "oldest_age_seconds": "6", "dead_letters": "1", "paused": "1",
        ]
        for (name, number) in numbers { #expect(told.value("capture_queue_\(name)") == number, "\(name)") }
        for (state, lanes) in [("ready", "2"), ("delayed", "3"), ("leased", "4")] {
            #expect(told.value("capture_queue_lanes", ["state": state]) == lanes, "\(state)")
        }
    }

    /// It was not asked: a load balancer would give the load to the next gateway, and the log would blame Redis.
    @Test func `a queue for which too many calls wait counts as up, and nothing is told of it`() async {
        let vitals = Vitals(
            registry: nil, queue: BusyQueue(), store: MemoryCaptureStore(time: ManualTime().source),
            onAnswer: { server, _ in #expect(server != .redis) })
        #expect(await vitals.servers() == [.redis: true, .postgres: true])
    }
}
