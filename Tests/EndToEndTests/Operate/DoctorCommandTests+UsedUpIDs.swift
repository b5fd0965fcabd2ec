import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

/// A server that gives out no transaction ids: it answers every question, and refuses whoever writes.
extension DoctorCommandTests {
    /// Each capture is refused alone as well, as if it were at fault.
    @Test func `without transaction ids everybody waits, no capture is given up, and the doctor names what holds them`()
        async throws
    {
        let postgres = try await PrivatePostgres.start(PrivatePostgres.forUsedUpIDs)
        let stack = try await Stack.start(postgres: postgres)
        let (gateway, client) = try await stack.gateway()
        let endpoint = try await GatewayEndpoint(gateway)
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let other = Phone(
            id: phone.id, level: phone.level,
            device: SimulatedDevice(appID: Stack.appID, format: .extensionsFlagged), gateway: client)
        let attestation = try await other.attestationForm(authority: stack.authority)
        let worker = try stack.worker()
        try await worker.line(containing: "worker is ready")
        #expect(try await stack.capturectl("pause").exitCode == 0)
        var captures: [CaptureID] = []
        for seed in 1...3 as ClosedRange<UInt64> {
            captures.append(try await phone.upload(try phone.shoot(seed: seed)))
        }
        try await postgres.useUpTransactionIDs()
        try await eventually { try await endpoint.ask("/readyz").status == 503 }
        let report = try await stack.capturectlJSON("doctor")
        #expect(report.exitCode == 1, "\(report.object)")
        let problems = states(report.object).filter { $0.value == "problem" }.keys
        #expect(Set(problems) == ["transaction ids", "writes to PostgreSQL"], "\(report.object)")
        let line = try check("transaction ids", of: report.object)
        #expect("\(line)".contains("replication slot forgotten: 2144 million ids"), "\(line)")
        let upload = try await endpoint.upload(try phone.shoot(seed: 4), as: phone.id)
        #expect(upload.status == 503 && upload.code == "UNAVAILABLE" && upload.retryAfter != nil, "\(upload)")
        let registration = try await endpoint.ask(
            "/api/v1/devices/register", method: .POST, headers: [("Content-Type", "application/json")],
            body: Array(attestation.utf8))
        #expect(registration.status == 503 && registration.code == "UNAVAILABLE", "\(registration)")

        // As `resume` does, which cannot note it.
        try await stack.redis.cli("DEL", "{cq:0}:paused")
        try await postgres.process.line(containing: "capture_settle_v1")
        #expect(try await stack.redis.cli("ZCARD", "{cq:0}:dead") == "0")
        try await postgres.freeTransactionIDs()
        for capture in captures { #expect(try await phone.settled(capture).state == .verified) }
        #expect(try await stack.redis.cli("ZCARD", "{cq:0}:dead") == "0")
        try await eventually { try await endpoint.ask("/readyz").status == 200 }
        try await worker.expectStop()
        try await postgres.stop()
    }
}
