import AsyncHTTPClient
import GatewayClient
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

extension Stack {
    /// Holds an answer of a gateway to the description that it serves.
    /// - Parameter path: What was asked for, with its query.
    static func expectDescribed(
        _ method: HTTPMethod, _ path: String, of gateway: GatewayClient, _ response: HTTPClientResponse,
        _ body: ByteBuffer, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let request = HTTPClientRequest(url: "\(gateway.configuration.url)/openapi.json")
        let description = try await http.execute(request, timeout: .seconds(60))
        let document = try await description.body.collect(upTo: 1 << 20)
        let conformity = try OpenAPIConformity(document: Array(document.readableBytesView))
        let answer = OpenAPIConformity.Answer(
            method: method.rawValue, path: path, status: Int(response.status.code),
            headers: response.headers.map { (name: $0.name, value: $0.value) }, body: Array(body.readableBytesView))
        #expect(
            conformity.faults(in: answer) == [], "\(method.rawValue) \(path): \(response.status.code)",
            sourceLocation: sourceLocation)
    }
}
