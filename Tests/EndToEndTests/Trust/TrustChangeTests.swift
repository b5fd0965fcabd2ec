import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

/// A trust root that is taken out of the configuration, with gateways and workers as processes of their own.
@Suite(.timeLimit(.minutes(5))) struct `A trust root that is taken out` {
    /// A gateway and a worker that trust certain roots.
    private struct Crew {
        let gateway: LeashedProcess
        let worker: LeashedProcess
        let client: GatewayClient

        init(_ stack: Stack, roots: [String]) async throws {
            let settings = ["CAPTURE_APP_ROOTS": roots.joined(separator: ",")]
            (gateway, client) = try await stack.gateway(settings)
            worker = try stack.worker(settings)
        }

        func phone(_ phone: Phone) -> Phone {
            Phone(id: phone.id, level: phone.level, device: phone.device, gateway: client)
        }

        /// Attests a phone's key again; the answer's status.
        func attest(_ phone: Phone, _ authority: TestCertificateAuthority) async throws -> Int {
            try await self.phone(phone).attestAgain(authority: authority).status
        }
    }

    @Test
    func `a trust root that is taken out takes its devices with it, until they are attested under one that is left`()
        async throws
    {
        let stack = try await Stack.start()
        let folder = try TemporaryDirectory.make("roots")
        defer { try? FileManager.default.removeItem(at: folder) }
        let next = try TestCertificateAuthority(name: "Next", at: Date())
        try next.write(directory: folder.path)
        let nextRoot = folder.appendingPathComponent("root.pem").path

        let before = try await Crew(
            stack, roots: [stack.directory.appendingPathComponent("root.pem").path, nextRoot])
        let phone = try await Phone.register(with: before.client, authority: stack.authority)
        #expect(try await phone.settled(phone.upload(phone.shoot(seed: 1))).state == .verified)
        #expect(try await before.attest(phone, next) == 409, "as long as both are trusted, a device keeps its own")
        try await before.worker.expectStop()
        let waiting = try await phone.upload(phone.shoot(seed: 2))
        try await before.gateway.expectStop()

        let after = try await Crew(stack, roots: [nextRoot])
        let same = after.phone(phone)
        let status = try await same.settled(waiting)
        #expect(status.state == .rejected && status.reason == Reason.trustRootNotAllowed.rawValue)
        await #expect {
            _ = try await same.upload(same.shoot(seed: 3))
        } throws: { error in
            guard case .refused(let refusal) = error as? GatewayError else { return false }
            return refusal.status == 401 && refusal.code == "SIGNATURE_INVALID"
                && refusal.reason == .trustRootNotAllowed
        }

        // The worker does not rely on what it keeps of the device: it is the other root's at once.
        #expect(try await after.attest(phone, next) == 200)
        let capture = try await same.upload(same.shoot(seed: 4, binding: .framedV2))
        #expect(try await same.settled(capture).state == .verified)
        let record = try await after.client.provenance(capture) { _ in .token(Stack.token) }
        let root = record["trust_root"]?.string
        #expect(root?.hasPrefix("TEST ONLY Next Root CA sha256:") == true)
        let found = try await verifyEvidence(of: capture, in: stack, folder, root: nextRoot)
        #expect(found.exitCode == 0 && found.answer["verdict"] as? String == "accepted", "\(found.answer)")
        let verified = found.answer["trust_root"] as? [String: String] ?? [:]
        #expect("\(verified["name"] ?? "") sha256:\(verified["sha256"] ?? "")" == root)
        for process in [after.worker, after.gateway] { try await process.expectStop() }
    }

    /// Verifies the evidence of a capture with one root alone.
    private func verifyEvidence(
        of capture: CaptureID, in stack: Stack, _ folder: URL, root: String
    ) async throws -> (exitCode: Int32, answer: [String: Any]) {
        let evidence = try await stack.capturectl("captures", "evidence", "\(capture)")
        let file = folder.appendingPathComponent("evidence.json")
        try Data(evidence.output.utf8).write(to: file)
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"),
            ["evidence", "verify", "--app-id", Stack.appID, "--root", root, "--evidence", file.path], environment: [:])
        let answer = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        return (run.exitCode, answer ?? [:])
    }
}
