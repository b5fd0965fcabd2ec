import AsyncHTTPClient
import CaptureModel
import GatewayClient
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// What a gateway answers to one request, held to the description that it serves.
struct DescribedAnswer: Sendable {
    let status: Int
    /// `null` where the answer has no JSON.
    let json: JSONValue
    var data: JSONValue? { json["data"] }
    var code: String? { json["error"]?["code"]?.string }
    var details: JSONValue? { json["error"]?["details"] }
}

extension GatewayClient {
    /// Asks once, as it is.
    /// - Parameter path: What is asked for, with its query.
    func ask(
        _ method: HTTPMethod, _ path: String, token: String? = nil, _ body: String? = nil,
        type: String = "application/json", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> DescribedAnswer {
        var request = HTTPClientRequest(url: configuration.url + path)
        request.method = method
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(string: body))
        }
        let (response, bytes) = try await Stack.execute(request)
        let status = Int(response.status.code)
        let (_, description) = try await Stack.execute(HTTPClientRequest(url: "\(configuration.url)/openapi.json"))
        let conformity = try OpenAPIConformity(document: Array(description.readableBytesView))
        let answer = OpenAPIConformity.Answer(
            method: method.rawValue, path: path, status: status,
            headers: response.headers.map { (name: $0.name, value: $0.value) }, body: Array(bytes.readableBytesView))
        #expect(
            conformity.faults(in: answer) == [], "\(method.rawValue) \(path): \(status)",
            sourceLocation: sourceLocation)
        return DescribedAnswer(status: status, json: (try? JSONValue(json: bytes.readableBytesView)) ?? .null)
    }

    /// What the dashboards' token reads at a path.
    func data(_ path: String) async throws -> JSONValue? { try await ask(.GET, path, token: Stack.token).data }
}

extension Stack {
    /// Sends a request, and reads the whole answer.
    static func execute(_ request: HTTPClientRequest) async throws -> (HTTPClientResponse, ByteBuffer) {
        let response = try await http.execute(request, timeout: .seconds(60))
        return (response, try await response.body.collect(upTo: 1 << 20))
    }
}
