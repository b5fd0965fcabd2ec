import HTTPTypes
import Hummingbird
import NIOCore
import Observability
import ProcessHealth

/// `GET /metrics`: the process's numbers in Prometheus's text format; the queue's are read for the answer.
struct MetricsRoute: Sendable {
    let vitals: Vitals

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        guard let text = await vitals.exposition() else {
            throw APIError(.notFound, "this gateway keeps no metrics")
        }
        return Response(
            status: .ok, headers: [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
