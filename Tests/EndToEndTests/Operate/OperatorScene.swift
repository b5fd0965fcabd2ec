import CaptureModel
import DeviceSimulator
import GatewayClient
import TestSupport

/// A stack in which one capture was verified, one rejected, and nothing waits.
struct OperatorScene: Sendable {
    let stack: Stack
    let processes: [LeashedProcess]
    let address: String
    let phone: Phone
    let verified: CaptureID
    let rejected: CaptureID

    static let shared = Once<OperatorScene> {
        let stack = try await Stack.start(settings: ["CAPTURE_GATEWAY_PRECHECK": "none"])
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let verified = try await phone.upload(try phone.shoot(seed: 1))
        _ = try await phone.settled(verified)
        let other = try phone.shoot(seed: 2)
        let rejected = try await phone.upload(other, showing: other.capture.photoTampered())
        _ = try await phone.settled(rejected)
        return OperatorScene(
            stack: stack, processes: [gateway, worker], address: client.configuration.url, phone: phone,
            verified: verified, rejected: rejected)
    }
}
