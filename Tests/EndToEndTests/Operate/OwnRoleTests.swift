import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Programs with a user of their own in PostgreSQL", .timeLimit(.minutes(5)))
struct OwnRoleTests {
    /// A stack whose migration has granted a role what the programs need, and the settings of whoever is that role.
    private func prepared() async throws -> (stack: Stack, role: String, own: [String: String]) {
        let stack = try await Stack.start()
        let role = "programs_\(stack.databaseName)"
        try await stack.psql("CREATE ROLE \(role) LOGIN")
        let migration = try await stack.capturectl("migrate", "--grant-to", role)
        #expect(migration.exitCode == 0, "\(migration.output)")
        #expect(migration.output.contains("rights: \(role) was granted the "), "\(migration.output)")
        let url = stack.database.replacing("user=capture", with: "user=\(role)")
        return (stack, role, ["CAPTURE_POSTGRES_URL": url])
    }

    @Test func `programs and operators do their work without a right to change what is settled`() async throws {
        let (stack, role, own) = try await prepared()
        let gateway = try await stack.gateway(own)
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let redriven = try await phone.upload(try phone.shoot(seed: 1))
        let discarded = try await phone.upload(try phone.shoot(seed: 2))
        let dead = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "of the test") }
        #expect(dead == [redriven, discarded])
        for words in [["discard", "\(discarded)"], ["redrive", "\(redriven)"]] {
            let run = try await stack.capturectl(["dead"] + words + ["--yes", "--actor", "alice"], with: own)
            #expect(run.exitCode == 0, "\(run.output)")
        }
        let worker = try stack.worker(own)
        let settled = [redriven, try await phone.upload(try phone.shoot(seed: 3))]
        for capture in settled { #expect(try await phone.settled(capture).state == .verified) }
        for words in [
            ["devices", "revoke", "\(phone.id)", "--reason", "lost", "--yes"], ["invitations", "create"],
            ["captures", "list"], ["doctor", "--fix"],
        ] {
            let run = try await stack.capturectl(words, with: own)
            #expect(run.exitCode == 0, "\(words): \(run.output)")
        }
        try await gateway.process.expectStop()
        try await worker.expectStop()
        for program in [gateway.process, worker] { #expect(!program.output.contains("permission denied")) }
        try await expectRefusals(of: role, in: stack)
        #expect(try await stack.psql("SELECT count(*) FROM captures").hasPrefix("2"))
    }

    private func expectRefusals(of role: String, in stack: Stack) async throws {
        for statement in [
            "UPDATE captures SET reason = 'X'", "DELETE FROM captures", "TRUNCATE captures", "DELETE FROM audit",
            "ALTER TABLE captures DISABLE TRIGGER ALL",
        ] {
            let fault = await #expect(throws: LeashedProcess.Failure.self, "\(statement)") {
                try await stack.psql("SET SESSION AUTHORIZATION \(role); \(statement)")
            }
            let words = fault?.description ?? ""
            #expect(words.contains("permission denied") || words.contains("must be owner"), "\(statement): \(words)")
        }
    }

    @Test func `a role is granted nothing twice, and one that is the owner is told`() async throws {
        let (stack, role, _) = try await prepared()
        let again = try await stack.capturectl("migrate", "--grant-to", role)
        #expect(again.exitCode == 0 && again.output.contains("rights: \(role) has what"), "\(again.output)")
        let owner = try await stack.capturectl("migrate", "--grant-to", "capture")
        #expect(owner.exitCode == 0 && owner.output.contains("all that the tables' owner may"), "\(owner.output)")
        let nobody = try await stack.capturectl("migrate", "--grant-to", "public")
        #expect(nobody.exitCode == 70 && nobody.output.contains("there is no role public"), "\(nobody.output)")
    }
}
