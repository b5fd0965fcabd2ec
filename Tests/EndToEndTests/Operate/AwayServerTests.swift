import TestSupport
import Testing

@Suite("Servers that capturectl cannot reach", .timeLimit(.minutes(5)))
struct AwayServerTests {
    @Test(arguments: [
        [
            "submit", "--device", "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21", "--photo", "p", "--depth", "d",
            "--assertion", "a", "--metadata", "m",
        ],
        ["simulate", "run", "--app-id", "TEAM123456.com.example.capture", "--ca", "none"],
    ])
    func `an address of a gateway that is none is bad usage, and said at once`(command: [String]) async throws {
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), command + ["--gateway", "localhost:8080"])
        #expect(run.exitCode == 64 && run.output.contains("http://host:port"), "\(run.output)")
    }

    @Test(arguments: [
        (["stats"], "(127.0.0.1:1, database 3)"), (["devices", "list"], "(database capture at 127.0.0.1:1)"),
    ])
    func `a server that is away is named with its address, and not with its password`(
        command: [String], address: String
    ) async throws {
        let environment = [
            "CAPTURE_REDIS_URL": "redis://:hunter2@127.0.0.1:1/3",
            "CAPTURE_POSTGRES_URL": "postgresql://app:hunter2@127.0.0.1:1/capture",
        ]
        let run = try await LeashedProcess.run(Programs.path("capturectl"), command, environment: environment)
        #expect(run.exitCode == 69 && run.output.contains(address), "\(run.output)")
        #expect(!run.output.contains("hunter2"))
    }
}
