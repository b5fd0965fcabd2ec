import CaptureModel
import CaptureQueue
import CaptureStore
import Hummingbird
import Observability

/// `GET /healthz` and `GET /readyz`: whether the process runs, and whether it can do its work.
struct HealthRoutes: Sendable {
    let configuration: GatewayConfiguration
    let dependencies: GatewayDependencies

    /// 200 as long as the process answers: nothing outside is asked, so that an outage restarts nobody.
    func live(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try Envelope.success(["status": "ok"], context: context, now: dependencies.now())
    }

    /// 200 when queue and record answer in time, else 503 with the state of each.
    func ready(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let limit = configuration.readinessTimeout
        let (queue, store) = (dependencies.queue, dependencies.store)
        async let queueAnswers = Probe.answers(within: limit) { _ = try await queue.load() }
        async let storeAnswers = Probe.answers(within: limit) { try await store.ping() }
        let states = [CaptureMetrics.Dependency.redis: await queueAnswers, .postgres: await storeAnswers]
        for (dependency, isUp) in states {
            if isUp {
                dependencies.outages.clear(dependency)
            } else {
                dependencies.outages.note(dependency, "readiness probe")
            }
        }
        let isReady = states.values.allSatisfy(\.self)
        let answer = Readiness(
            status: isReady ? "ready" : "unavailable",
            dependencies: Dictionary(uniqueKeysWithValues: states.map { ($0.key.rawValue, $0.value ? "up" : "down") }))
        return try Envelope.success(
            answer, status: isReady ? .ok : .serviceUnavailable, headers: isReady ? [:] : [.retryAfter: "2"],
            context: context, now: dependencies.now())
    }

    private struct Readiness: Encodable, Sendable {
        var status: String
        var dependencies: [String: String]
    }
}
