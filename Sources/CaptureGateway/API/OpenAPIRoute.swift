import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.json`: the API's description, written once.
struct OpenAPIRoute: Sendable {
    private let body: ByteBuffer

    init(configuration: GatewayConfiguration) throws {
        body = ByteBuffer(bytes: try AnswerJSON.encoded(OpenAPIDocument(configuration: configuration).tree))
    }

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "max-age=300"],
            body: .init(byteBuffer: body))
    }
}
