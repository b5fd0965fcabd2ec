import Crypto
import Foundation
import TestSupport
import Testing

/// Most services are tested with instances of the tests' own, and would be missed by none of those.
@Suite("What the programs run", .timeLimit(.minutes(2)))
struct ServiceListTests {
    /// Nobody listens there: the services are named before any server is asked.
    private static let nobody = [
        "CAPTURE_APP_IDS": Stack.appID, "CAPTURE_REDIS_URL": "redis://127.0.0.1:1",
        "CAPTURE_POSTGRES_URL": "host=127.0.0.1 port=1 dbname=nobody", "CAPTURE_WORKER_METRICS_PORT": "0",
        "CAPTURE_LOG_FORMAT": "json", "CAPTURE_LOG_LEVEL": "debug",
    ]

    @Test func `a gateway runs all that it has to, and for each thing that is set up what that needs`() async throws {
        #expect(
            try await services(of: "capture-gateway") == [
                "Announcement", "MemoryReturn", "RedisClient", "RedisClient", "PostgresClient", "RolloutFile",
                "RedisStateChanges", "StartupCheck", "QueueSetup", "EnrolmentPurger", "PostgresClient",
                "IntakeReconciler", "Listener", "StopLimit",
            ])
        try await withEverything { settings throws in
            let replicated = settings.merging(["CAPTURE_QUEUE_DURABILITY": "replicated"]) { $1 }
            #expect(
                try await services(of: "capture-gateway", replicated) == [
                    "Announcement", "MemoryReturn", "RedisClient", "RedisClient", "PostgresClient", "RedisClient",
                    "AppleServer", "RolloutFile", "RedisStateChanges", "StartupCheck", "QueueSetup", "EnrolmentPurger",
                    "Listener", "StopLimit",
                ])
        }
    }

    @Test func `a worker runs all that it has to, and for each thing that is set up what that needs`() async throws {
        #expect(
            try await services(of: "capture-worker") == [
                "RedisClient", "RedisClient", "PostgresClient", "Listener", "Watchdog", "RolloutFile", "StartupCheck",
                "LeaseRenewer", "CaptureWorker", "StopLimit",
            ])
        try await withEverything { settings throws in
            #expect(
                try await services(of: "capture-worker", settings) == [
                    "RedisClient", "RedisClient", "PostgresClient", "Listener", "Watchdog", "RolloutFile",
                    "StartupCheck", "LeaseRenewer", "OrphanSweeper", "AppleServer", "ReceiptRenewer", "CaptureWorker",
                    "StopLimit",
                ])
        }
    }

    /// Runs a body with settings of files, of enrolments and of a developer's key.
    private func withEverything(_ body: ([String: String]) async throws -> Void) async throws {
        let folder = try TemporaryDirectory.make("services")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (apple, enrolment) = (folder.appending(path: "AuthKey.p8"), folder.appending(path: "enrolment.key"))
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: apple)
        try Data(Data(repeating: 7, count: 32).base64EncodedString().utf8).write(to: enrolment)
        try await body([
            "CAPTURE_BUNDLES_STORE": "filesystem", "CAPTURE_BUNDLES_DIRECTORY": folder.appending(path: "store").path,
            "CAPTURE_ENROLMENT_KEY_FILE": enrolment.path, "CAPTURE_APPLE_KEY_FILE": apple.path,
            "CAPTURE_APPLE_KEY_ID": "ABC123DEFG", "CAPTURE_APPLE_TEAM_ID": "TEAM123456",
        ])
    }

    /// The services that a program names when it starts them, in their order.
    private func services(of program: String, _ settings: [String: String] = [:]) async throws -> [String] {
        let process = try LeashedProcess(
            Programs.path(program), program == "capture-gateway" ? ["--gateway-port", "0"] : [],
            environment: Self.nobody.merging(settings) { $1 })
        // The program's own: those of its HTTP server are started later.
        let line = try await process.line(containing: "\"message\":\"Starting service lifecycle\"")
        try await process.kill()
        let fields = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        let names = try JSONDecoder().decode([String].self, from: Data(try #require(fields["sl-services"]).utf8))
        // Without the module before a type's name, its parameters, and its values.
        return names.map { name in
            String(name.prefix { $0 != "(" && $0 != "<" }.split(separator: ".").last ?? "")
        }
    }
}
