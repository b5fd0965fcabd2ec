import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import Synchronization
import TestSupport
import Testing

/// A phone's app that does what apps do when no answer comes: it sends the same bundle again.
///
/// And the supervisor of the gateway that it talks to: one that has died is started again, without what killed it.
actor Client {
    private let stack: Stack
    private var process: LeashedProcess
    private var gateway: GatewayClient
    /// The settings of the gateways that come after those that have died; without them one that nothing kills.
    private var heirs: ArraySlice<[String: String]>
    /// How often the gateway died under an upload.
    private(set) var deaths = 0

    /// Starts a gateway with the settings given.
    /// - Parameter heirs: The settings of those that follow it, one after the other, before one without any.
    init(
        of stack: Stack, gateway settings: [String: String] = [:], then heirs: [[String: String]] = []
    ) async throws {
        self.stack = stack
        self.heirs = heirs[...]
        (process, gateway) = try await Self.start(stack, settings)
    }

    private static func start(
        _ stack: Stack, _ settings: [String: String]
    ) async throws -> (LeashedProcess, GatewayClient) {
        let started = try await stack.gateway(settings)
        // No answer is the client's to deal with here, not the library's; and it means that the gateway is dead.
        let configuration = GatewayClient.Configuration(
            url: started.client.configuration.url, requestTimeout: .seconds(240), attemptsMax: 1)
        return (started.process, GatewayClient(configuration, http: Stack.http))
    }

    /// Registers a phone.
    func phone() async throws -> Phone {
        try await Phone.register(with: gateway, authority: stack.authority)
    }

    /// Uploads until there is an answer.
    func upload(_ signed: SignedCapture, of phone: Phone, showing other: SyntheticCapture? = nil) async throws
        -> CaptureID
    {
        while true {
            let phone = Phone(id: phone.id, level: phone.level, device: phone.device, gateway: gateway)
            do {
                return try await phone.upload(signed, showing: other)
            } catch GatewayError.unreachable {
                deaths += 1
                #expect(try await process.exitCode() == 128 + SIGKILL)
                (process, gateway) = try await Self.start(stack, heirs.popFirst() ?? [:])
            } catch GatewayError.refused(let refusal) where refusal.isTransient {
                // Servers that starve on a busy machine: come back later, as the answer says.
                try await letTimePass(refusal.retryAfter ?? .milliseconds(100))
            }
        }
    }

    /// Uploads of two phones, three captures each; the second picture of the second phone was changed after it was
    /// signed.
    func uploadSome() async throws -> [CaptureID: Verdict] {
        var verdicts: [CaptureID: Verdict] = [:]
        let phones = [try await phone(), try await phone()]
        for round in 0..<3 {
            for (index, phone) in phones.enumerated() {
                let signed = try phone.shoot(seed: UInt64(10 * round + index))
                let isForged = index == 1 && round == 1
                let shown = isForged ? signed.capture.photoTampered() : nil
                verdicts[try await upload(signed, of: phone, showing: shown)] = isForged ? .rejected : .verified
            }
        }
        return verdicts
    }

    /// Kills the gateway; nobody starts it again.
    func killGateway() async throws { try await process.kill() }

    /// Where a capture stands, as a dashboard sees it.
    func status(of capture: CaptureID) async throws -> CaptureStatus {
        try await gateway.status(capture) { _ in .token(Stack.token) }
    }

    /// A settled capture's evidence.
    func provenance(of capture: CaptureID) async throws -> JSONValue {
        try await gateway.provenance(capture) { _ in .token(Stack.token) }
    }
}
