import CaptureModel
import CaptureQueue
import Hummingbird
import Observability

/// `GET /api/v1/queue`: how full the queue is, for holders of tokens ([R-ST-2]).
struct QueueRoute: Sendable {
    let access: AccessControl
    let dependencies: GatewayDependencies

    func handle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try access.requireToken(of: request)
        let load: QueueLoad
        do { load = try await dependencies.queue.load() } catch { throw APIError.unavailable(error) }
        return try Envelope.success(Answer(load), context: context, now: dependencies.now())
    }

    private struct Answer: Encodable, Sendable {
        var captures: Int
        var bytes: Int
        var capturesMax: Int
        var bytesMax: Int
        var deadLetters: Int
        var readyLanes: Int
        var delayedLanes: Int
        var leasedLanes: Int
        var isPaused: Bool
        var oldestLaneAge: Double?

        init(_ load: QueueLoad) {
            captures = load.captures
            bytes = load.bytes
            capturesMax = load.capturesMax
            bytesMax = load.bytesMax
            deadLetters = load.deadLetters
            readyLanes = load.readyLanes
            delayedLanes = load.delayedLanes
            leasedLanes = load.leasedLanes
            isPaused = load.isPaused
            oldestLaneAge = load.oldestLaneAge.map { ($0 / .milliseconds(1)).rounded() }
        }

        enum CodingKeys: String, CodingKey {
            case captures, bytes
            case capturesMax = "captures_max"
            case bytesMax = "bytes_max"
            case deadLetters = "dead_letters"
            case readyLanes = "ready_lanes"
            case delayedLanes = "delayed_lanes"
            case leasedLanes = "leased_lanes"
            case isPaused = "paused"
            case oldestLaneAge = "oldest_lane_age_ms"
        }
    }
}
