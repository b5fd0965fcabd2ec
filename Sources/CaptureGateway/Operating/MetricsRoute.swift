import CaptureModel
import CaptureQueue
import HTTPTypes
import Hummingbird
import NIOCore
import Observability

/// `GET /metrics`: the process's numbers in Prometheus's text format ([R-OP-5]); the queue's are read for the answer.
struct MetricsRoute: Sendable {
    let configuration: GatewayConfiguration
    let dependencies: GatewayDependencies

    func handle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        guard let metrics = dependencies.metrics else {
            throw APIError(.notFound, "this gateway keeps no metrics")
        }
        let queue = dependencies.queue
        // Without the queue the numbers of the process are still worth having: the gauge says that it is away.
        let isUp = await Probe.answers(within: configuration.readinessTimeout) {
            let load = try await queue.load()
            CaptureMetrics.queueJobs(.queued, load.captures)
            CaptureMetrics.queueJobs(.failed, load.deadLetters)
            CaptureMetrics.queueBytes(load.bytes)
            CaptureMetrics.oldestJobAge(load.oldestLaneAge ?? .zero)
        }
        CaptureMetrics.dependency(.redis, isUp: isUp)
        let body = ByteBuffer(string: metrics.render())
        return Response(
            status: .ok, headers: [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"],
            body: .init(byteBuffer: body))
    }
}
