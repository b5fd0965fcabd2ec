import CaptureModel
import DeviceSimulator
import GatewayClient
import TestSupport
import Testing

/// A gateway, and somebody honest beside the others.
struct HostileScene: Sendable {
    let stack: Stack
    let gateway: LeashedProcess
    let endpoint: GatewayEndpoint
    let phone: Phone

    static let shared = Once<HostileScene> { try await HostileScene() }
    /// One with little patience: a client that is honest and starved loses it, too, and comes back.
    static let impatient = Once<HostileScene> {
        try await HostileScene([
            "CAPTURE_GATEWAY_IDLE_TIMEOUT": "1s", "CAPTURE_GATEWAY_JSON_TIMEOUT": "500ms",
            "CAPTURE_GATEWAY_UPLOAD_TIMEOUT": "1500ms", "CAPTURE_GATEWAY_UPLOAD_IDLE_TIMEOUT": "500ms",
        ])
    }

    init(_ settings: [String: String] = [:]) async throws {
        stack = try await Stack.start(settings: settings)
        let gateway = try await stack.gateway()
        self.gateway = gateway.process
        endpoint = try await GatewayEndpoint(gateway.process)
        phone = try await Phone.register(with: gateway.client, authority: stack.authority)
    }

    /// An honest upload goes through whatever else goes on.
    ///
    /// Its sender does as senders do: when its connection had to give way, or it is told to, it comes back.
    func expectServed(_ seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let signed = try phone.shoot(seed: seed)
        try await eventually {
            guard let answer = try? await endpoint.upload(signed, as: phone.id) else { return false }
            if Self.putOff.contains(answer.status) { return false }
            #expect(answer.status == 202, "\(answer)", sourceLocation: sourceLocation)
            return true
        }
    }

    /// What a server under load may say to anybody.
    private static let putOff = [408, 503]

    /// Whether an answer tells its client to come again.
    func isToComeBack(_ answer: String) -> Bool {
        Self.putOff.contains { answer.hasPrefix("HTTP/1.1 \($0) ") }
    }

    /// Sends text and reads the answer.
    func exchange(_ text: String) async throws -> String {
        let connection = try RawConnection(port: endpoint.port)
        try await connection.send(text)
        return try await connection.read { $0.hasSuffix("}") }
    }
}
