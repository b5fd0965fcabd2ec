import TestSupport
import Testing

@Suite("Settings that a program refuses", .timeLimit(.minutes(1)))
struct BadSettingsTests {
    @Test(arguments: [
        (["--gateway-trusted-proxies", "10.0.0.0/99"], "gateway.trustedProxies"),
        (
            ["--gateway-upload-bytes-in-flight-max", "16MiB", "--capture-photo-bytes-max", "12MiB"],
            "gateway.uploadBytesInFlightMax"
        ),
        (["--queue-leese", "8s"], "--queue-leese"),
    ])
    func `are named, and the exit is 64`(arguments: [String], name: String) async throws {
        let run = try await LeashedProcess.run(
            Programs.path("capture-gateway"), arguments, environment: ["CAPTURE_APP_IDS": Stack.appID])
        #expect(run.exitCode == 64)
        #expect(run.output.contains("capture-gateway: \(name): "))
    }
}
