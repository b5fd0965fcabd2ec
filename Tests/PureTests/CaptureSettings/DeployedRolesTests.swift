import Foundation
import TestSupport
import Testing

@Suite("Who owns the record where it is deployed", .timeLimit(.minutes(1)))
struct DeployedRolesTests {
    /// A way to deploy: where the programs and where the migration have their address of PostgreSQL, and what migrates.
    struct Way: Sendable, CustomTestStringConvertible {
        let programs: String
        let owner: String
        let migration: String

        var testDescription: String { migration }
    }

    private static let ways = [
        Way(programs: "compose.yaml", owner: "compose.yaml", migration: "compose.yaml"),
        Way(
            programs: "systemd/capture.env.example", owner: "systemd/owner.env.example",
            migration: "systemd/capture-migrate.service"),
        Way(
            programs: "kubernetes/secrets.env.example", owner: "kubernetes/owner.env.example",
            migration: "kubernetes/migrate.yaml"),
    ]

    /// The roles in a file's addresses, in their order.
    private func roles(_ file: String) throws -> [String] {
        try DeployedFiles.text(file).matches(of: /CAPTURE_POSTGRES_URL.*(?:postgresql:\/\/|user=)([a-z_]+)/)
            .map { String($0.output.1) }
    }

    /// Whoever has the programs' password could change what is settled otherwise.
    @Test(arguments: ways)
    func `the programs are not the owner, and the migration grants them what they need`(way: Way) throws {
        let (programs, owner) = (try roles(way.programs).first, try roles(way.owner).last)
        #expect(programs == "capture" && owner == "capture_owner")
        let granted = DeployedFiles.words(
            try DeployedFiles.text(way.migration), /capturectl,? migrate,? --grant-to,? ([a-z_]+)/)
        #expect(granted == ["capture"])
    }

    /// Compose hands all of `.env` to each program.
    @Test func `the owner's password is handed to the migration alone`() throws {
        let compose = try DeployedFiles.text("compose.yaml")
        let start = try #require(compose.range(of: "\nx-program: &program\n")).upperBound
        let end = try #require(compose.range(of: "\nservices:\n")).lowerBound
        #expect(compose[start..<end].contains("\n  env_file: .env\n"))
        #expect(compose[start..<end].contains("\n    POSTGRES_OWNER_PASSWORD: \"\"\n"))
        let holders = try DeployedFiles.services().filter { service in
            service.value.contains { $0.contains("{POSTGRES_OWNER_PASSWORD") }
        }
        #expect(Set(holders.keys) == ["migrate", "postgres"])
        let units = try DeployedFiles.units.filter { try DeployedFiles.text($0).contains("/owner.env\n") }
        #expect(units == ["systemd/capture-migrate.service"])
        let pods = try DeployedFiles.pods.filter { try DeployedFiles.text($0).contains("name: capture-owner }") }
        #expect(pods == ["kubernetes/migrate.yaml"])
    }

    /// What comes later counts, for systemd as for Kubernetes.
    @Test func `the owner's address comes behind the programs'`() throws {
        for (file, programs, owner) in [
            ("systemd/capture-migrate.service", "/capture.env\n", "/owner.env\n"),
            ("kubernetes/migrate.yaml", "name: capture-secrets }", "name: capture-owner }"),
        ] {
            let text = try DeployedFiles.text(file)
            let first = try #require(text.range(of: programs)).upperBound
            #expect(text[first...].contains(owner), "\(file)")
        }
    }

    @Test func `the runbooks' job of another command is the migration's, without its options`() async throws {
        let scripts = DeployedFiles.words(try DeployedFiles.text("RUNBOOKS.md"), /`sed '([^']+)' migrate\.yaml/)
        let script = try #require(scripts.first)
        let path = Repository.directory.appendingPathComponent(DeployedFiles.folder + "kubernetes/migrate.yaml").path
        let run = try await LeashedProcess.run("sed", [script, path])
        #expect(scripts.count == 1 && run.output.contains("command: [capturectl, doctor]\n"), "\(run.output)")
    }
}
