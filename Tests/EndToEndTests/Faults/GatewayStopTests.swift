import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

@Suite("A gateway that is told to stop", .timeLimit(.minutes(5)))
struct GatewayStopTests {
    @Test
    func `a gateway that is told to stop answers the upload that waits for the ledger, takes no other, and exits 0`()
        async throws
    {
        let stack = try await Stack.start(settings: [
            // Nobody loses patience with the ledger or with the gateway before the test does.
            "CAPTURE_POSTGRES_LOCK_TIMEOUT": "60s", "CAPTURE_POSTGRES_STATEMENT_TIMEOUT": "60s",
            "CAPTURE_GATEWAY_SERVER_TIMEOUT": "60s", "CAPTURE_INTAKE_WAIT": "60s", "CAPTURE_PROGRAM_STOP_LIMIT": "120s",
        ])
        let (gateway, client) = try await stack.gateway()
        let endpoint = try await GatewayEndpoint(gateway)
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let signed = try phone.shoot(seed: 1)
        // An upload waits for others' locks for a moment only.
        _ = try await stack.psql("ALTER FUNCTION capture_intake_v1 RESET lock_timeout")
        let standstill = try await Standstill.begin(in: stack, "LOCK TABLE intake IN EXCLUSIVE MODE")
        async let upload = endpoint.upload(signed, as: phone.id)
        try await standstill.untilMet(by: "capture-gateway")
        gateway.signal(SIGTERM)
        // Its port is closed: the stop has begun.
        try await eventually { (try? RawConnection(port: endpoint.port)) == nil }
        try await standstill.end()
        let answer = try await upload
        #expect(answer.status == 202, "\(answer)")
        #expect(try await gateway.exitCode() == 0)

        // It has kept its promise.
        let capture = try #require(CaptureID(try await stack.psql("SELECT capture_id FROM intake")))
        let worker = try stack.worker()
        try await Aftermath(stack: stack, verdicts: [capture: .verified]).check()
        try await worker.expectStop()
    }
}
