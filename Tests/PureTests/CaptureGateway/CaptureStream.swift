import AsyncHTTPClient
import CaptureModel
import NIOCore
import NIOHTTP1
import Testing

/// The stream of a capture's states, as far as it has been read.
struct CaptureStream {
    var text = ""
    private var rest: HTTPClientResponse.Body.AsyncIterator

    init(of capture: CaptureID, at gateway: CapturesGateway) async throws {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(gateway.port)/api/v1/captures/\(capture)/events")
        request.headers = HTTPHeaders(CapturesGateway.dashboard)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(50))
        try #require(response.status == .ok)
        rest = response.body.makeAsyncIterator()
    }

    /// Reads on until some words have come; to the end where there are none.
    mutating func read(until words: String?) async throws {
        while words.map({ !text.contains($0) }) ?? true {
            guard let chunk = try await rest.next(isolation: #isolation) else {
                #expect(words == nil, "the stream has ended: \(text)")
                return
            }
            text += String(buffer: chunk)
        }
    }
}
