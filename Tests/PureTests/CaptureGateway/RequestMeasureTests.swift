import CoreMetrics
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("How long answers take")
struct RequestMeasureTests {
    private static func context() -> GatewayContext {
        GatewayContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
    }

    @Test func `the time for which an answer was held back, as its caller had asked, does not count`() async throws {
        let registry = PrometheusRegistry()
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        try await withMetricsFactory(registry) { () async throws in
            _ = try await RequestMeasure().handle(request, context: Self.context()) { _, context in
                context.heldBack.add(.seconds(3_600))
                return Response(status: .ok)
            }
        }
        let exposition = try StrictExposition(registry.render())
        let fastest = ["route": "unknown", "le": "0.0001"]
        #expect(exposition.value("capture_http_request_seconds_bucket", fastest) == "1")
    }
}
