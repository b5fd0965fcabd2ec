import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.json`: the API's description, written once.
struct OpenAPIRoute: Sendable {
    private let body: ByteBuffer

    init(configuration: GatewayConfiguration) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        body = ByteBuffer(bytes: try encoder.encode(OpenAPIDocument(configuration: configuration).tree))
    }

    func add(to router: Router<GatewayContext>) {
        router.route(.description, use: handle)
    }

    func handle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "max-age=300"],
            body: .init(byteBuffer: body))
    }
}
