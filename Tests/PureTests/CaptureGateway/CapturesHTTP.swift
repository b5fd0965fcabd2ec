import CaptureModel
import DeviceSimulator
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// A part of a form, right or wrong.
struct FormPart: Sendable {
    var name: String
    var contentType: String?
    var bytes: [UInt8]

    init(_ name: String, _ contentType: String? = nil, _ bytes: [UInt8]) {
        self.name = name
        self.contentType = contentType
        self.bytes = bytes
    }

    static let boundary = "test-boundary-0123456789"

    static func form(_ parts: [FormPart], isWhole: Bool = true) -> [UInt8] {
        var body: [UInt8] = []
        for part in parts {
            body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"\r\n".utf8)
            if let type = part.contentType { body += Array("Content-Type: \(type)\r\n".utf8) }
            body += [0x0D, 0x0A] + part.bytes + [0x0D, 0x0A]
        }
        return isWhole ? body + Array("--\(boundary)--\r\n".utf8) : body
    }
}

extension SignedCapture {
    /// The parts as the app sends them.
    var parts: [FormPart] {
        [
            FormPart("metadata", "application/json", capture.metadata),
            FormPart("assertion", "application/cbor", assertion),
            FormPart("photo", "image/jpeg", capture.photo),
            FormPart("depth_map", "application/octet-stream", capture.depthMap),
        ]
    }
}

extension CapturesGateway {
    /// Sends a request to its end.
    func send(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> GatewayCaller.Answer {
        try await caller.send(method, path, headers: HTTPHeaders(headers), body: body)
    }

    /// Uploads parts.
    func upload(
        _ parts: [FormPart], device: String? = nil, contentType: String? = nil, headers: [(String, String)] = []
    ) async throws -> GatewayCaller.Answer {
        try await send(
            .POST, "/api/v1/captures",
            headers: [
                ("X-Device-Id", device ?? "\(backend.device)"),
                ("Content-Type", contentType ?? "multipart/form-data; boundary=\(FormPart.boundary)"),
            ] + headers, body: FormPart.form(parts)
        )
    }

    /// Uploads a capture of the phone.
    func upload(_ capture: SignedCapture) async throws -> GatewayCaller.Answer { try await upload(capture.parts) }

    /// The head of an upload, for those who write the rest by hand.
    func uploadHead(_ headers: String...) -> String {
        """
        POST /api/v1/captures HTTP/1.1\r
        Host: 127.0.0.1\r
        X-Device-Id: \(backend.device)\r
        Content-Type: multipart/form-data; boundary=\(FormPart.boundary)\r
        \(headers.map { $0 + "\r\n" }.joined())\r\n
        """
    }

    /// A request of a dashboard, for those who send bytes.
    static func reading(_ path: String, _ method: String = "GET", version: String = "HTTP/1.1") -> [UInt8] {
        let head = "\(method) \(path) \(version)\r\nHost: 127.0.0.1\r\n"
        return Array((head + "Authorization: Bearer \(GatewayFixture.readToken)\r\n\r\n").utf8)
    }

    /// Sends bytes as they are and gives what comes back: to the end of the answer, or of the connection.
    func raw(_ bytes: [UInt8], closingAfterwards: Bool = false) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: bytes))
            if closingAfterwards { outbound.finish() }
            var answer = ""
            do {
                for try await chunk in inbound {
                    answer += String(buffer: chunk)
                    if answer.hasSuffix("}") { break }
                }
            } catch is IOError {
                // The gateway has closed the connection: what came before counts.
            }
            return answer
        }
    }
}
