import AsyncHTTPClient
import CaptureModel
import DeviceSimulator
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport

/// Where a gateway listens, for tests that ask once and measure how long the answer takes.
struct GatewayEndpoint: Sendable {
    /// What came back, and when.
    struct Answer: Sendable {
        let status: Int
        let code: String?
        let retryAfter: String?
        let took: Duration
    }

    let port: Int

    init(_ gateway: LeashedProcess) async throws {
        let line = try await gateway.line(containing: "listening on http://")
        let digits = line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
        guard let port = Int(digits) else { throw LeashedProcess.Failure(description: "no port in '\(line)'") }
        self.port = port
    }

    /// Asks once.
    func ask(
        _ path: String, method: HTTPMethod = .GET, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = method
        request.headers = HTTPHeaders(headers)
        if let body { request.body = .bytes(body) }
        let start = ContinuousClock.now
        let (response, bytes) = try await Stack.execute(request)
        let json = try? JSONValue(json: bytes.readableBytesView)
        return Answer(
            status: Int(response.status.code), code: json?["error"]?["code"]?.string,
            retryAfter: response.headers.first(name: "Retry-After"), took: start.duration(to: .now)
        )
    }

    /// Uploads once.
    func upload(_ signed: SignedCapture, as device: DeviceID) async throws -> Answer {
        try await ask(
            "/api/v1/captures", method: .POST,
            headers: [
                ("X-Device-Id", "\(device)"), ("Content-Type", "multipart/form-data; boundary=\(Self.boundary)"),
            ],
            body: Self.form(signed)
        )
    }

    static let boundary = "boundary-of-the-tests"

    /// A capture as the app sends it.
    static func form(_ signed: SignedCapture) -> [UInt8] {
        let capture = signed.capture
        var body: [UInt8] = []
        func add(_ name: String, _ type: String, _ bytes: [UInt8]) {
            body += Array(
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\nContent-Type: \(type)\r\n\r\n"
                    .utf8)
            body += bytes + [0x0D, 0x0A]
        }
        add("metadata", "application/json", capture.metadata)
        add("assertion", "application/cbor", signed.assertion)
        add("photo", "image/jpeg", capture.photo)
        add("depth_map", "application/octet-stream", capture.depthMap)
        return body + Array("--\(boundary)--\r\n".utf8)
    }

    /// The head of an upload, for those who write the rest by hand.
    static func uploadHead(of device: DeviceID, _ headers: String...) -> String {
        """
        POST /api/v1/captures HTTP/1.1\r
        Host: 127.0.0.1\r
        X-Device-Id: \(device)\r
        Content-Type: multipart/form-data; boundary=\(boundary)\r
        \(headers.map { $0 + "\r\n" }.joined())\r\n
        """
    }
}
