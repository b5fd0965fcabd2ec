import Foundation
import GatewayClient
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// `capturectl simulate run`, which `make run` goes by: what it promises is its exit code.
@Suite("Simulated captures come out as they should, or it is said that they did not", .timeLimit(.minutes(5)))
struct SimulateTests {
    private static func simulate(
        _ settings: [String: String], _ more: [String], in directory: URL? = nil
    ) async throws -> (exitCode: Int32, output: String) {
        let stack = try await Stack.start(settings: ["CAPTURE_GATEWAY_PRECHECK": "none"])
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker(settings)
        defer { withExtendedLifetime((gateway, worker)) {} }
        return try await LeashedProcess.run(
            Programs.path("capturectl"),
            [
                "simulate", "run", "--gateway", client.configuration.url, "--app-id", Stack.appID, "--ca",
                stack.directory.path, "--photo-bytes", "20000..40000",
            ] + more, environment: ["CAPTURE_TOKEN": Stack.token], directory: directory)
    }

    @Test func `every verdict of the showcase is the expected one`() async throws {
        let run = try await Self.simulate([:], ["--showcase", "--captures", "40", "--json"])
        #expect(run.exitCode == 0, "\(run.output)")
        for verdict in ["COUNTER_REPLAY", "COUNTER_STALE", "SIGNATURE_INVALID"] {
            #expect(run.output.contains(verdict), "\(run.output)")
        }
    }

    /// Whoever tests a gateway may stand beside a developer's files.
    @Test(arguments: [[], ["--vectors", "../shared/vectors"]])
    func `vectors of Apple's count where they are asked for, and nowhere else`(options: [String]) async throws {
        let folder = try TemporaryDirectory.make("simulate")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (here, vectors) = (folder.appendingPathComponent("here"), folder.appendingPathComponent("shared/vectors"))
        for path in [here, vectors] {
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        }
        try Data("{}".utf8).write(to: vectors.appendingPathComponent("2099-notes.json"))
        let run = try await Self.simulate([:], ["--devices", "1", "--captures", "1"] + options, in: here)
        #expect(run.exitCode == (options.isEmpty ? 0 : 1), "\(run.output)")
        #expect(run.output.contains("Every verdict was the expected one."), "\(run.output)")
        #expect(run.output.contains("2099-notes.json") == !options.isEmpty, "\(run.output)")
        #expect(!run.output.contains("DecodingError"), "\(run.output)")
    }

    @Test(arguments: [
        ("--port", "65536", "0 to 65535"), ("--port", "-1", "0 to 65535"), ("--key-id", "abc123defg", "ten capital"),
        ("--key-id", "ABC", "ten capital"), ("--team-id", "TEAM12345Ä", "ten capital"),
    ])
    func `what Apple's stand-in cannot be is bad usage`(option: String, value: String, words: String) async throws {
        let run = try await CommandLineRun([
            "simulate", "apple", "--ca", "/none", "--key", "/none/key.p8", "\(option)=\(value)",
        ])
        #expect(run.exitCode == 64 && run.errors.contains("\(option) takes \(words)"), "\(run.errors)")
    }

    @Test(arguments: [("TEAM123456.org.example", "No such file or directory"), ("nodots", "--app-id takes")])
    func `neither is what cannot be simulated`(appID: String, words: String) async throws {
        let run = try await CommandLineRun([
            "simulate", "run", "--gateway", "http://127.0.0.1:1", "--app-id", appID, "--ca", "/none",
        ])
        #expect(run.exitCode == 64 && run.errors.contains(words), "\(run.errors)")
    }

    @Test func `a port that is taken is told by its number`() async throws {
        let folder = try TemporaryDirectory.make("simulate")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await CommandLineRun(["simulate", "authority", folder.path]).exitCode == 0)
        let taken = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(taken.localAddress?.port)
        let run = try await CommandLineRun([
            "simulate", "apple", "--ca", folder.path, "--key", folder.appendingPathComponent("key.p8").path, "--port",
            "\(port)",
        ])
        try await taken.close()
        #expect(run.exitCode == 69 && run.errors.contains(":\(port) cannot be listened on: Address"), "\(run.errors)")
    }

    /// Which takes its attempts: half a minute at the most.
    @Test func `a gateway that is away is told by the exit code, and each pause in a figure that can be read`()
        async throws
    {
        let folder = try TemporaryDirectory.make("simulate")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await CommandLineRun(["simulate", "authority", folder.path]).exitCode == 0)
        let run = try await CommandLineRun([
            "simulate", "run", "--gateway", "http://127.0.0.1:1", "--app-id", Stack.appID, "--ca", folder.path,
        ])
        #expect(run.exitCode == 69, "\(run.errors)")
        #expect(run.errors.contains(/trying again in [0-9](\.[0-9])? s\n/), "\(run.errors)")
        #expect(!run.errors.contains(" ms"), "\(run.errors)")
        #expect(run.output.hasSuffix("\nNo capture was sent.\n") && !run.output.contains("──"), "\(run.output)")
    }

    /// Not by SIGINT, which a shell without a terminal has its children ignore.
    @Test func `a signal ends the run, and the answer has what was sent by then`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        defer { withExtendedLifetime(gateway) {} }
        let process = try LeashedProcess(
            Programs.path("capturectl"),
            [
                "simulate", "run", "--gateway", client.configuration.url, "--app-id", Stack.appID, "--ca",
                stack.directory.path, "--photo-bytes", "20000..40000", "--devices", "1", "--captures", "20", "--json",
            ], environment: ["CAPTURE_TOKEN": Stack.token])
        _ = try await process.line(containing: "captures: 20 of 20 sent, 0 done with")
        process.signal(SIGTERM)
        #expect(try await process.exitCode() == 143, "\(process.output)")
        let output = process.output
        let start = try #require(output.range(of: "\n{")).lowerBound
        let object = try JSONSerialization.jsonObject(with: Data(output[start...].utf8)) as? [String: Any]
        let captures = try #require(object?["captures"] as? [[String: Any]])
        #expect(captures.count == 20, "\(output)")
        #expect(captures.allSatisfy { $0["capture"] is String && $0["verdict"] as? String == "stopped" }, "\(output)")
        let summary = try #require(object?["summary"] as? [String: Any])
        #expect(summary["stopped"] as? Bool == true && summary["unexpected"] as? Int == 0, "\(summary)")
    }

    @Test func `a verdict that is not the expected one is no success`() async throws {
        // Workers that take the phones' app for another one.
        let run = try await Self.simulate(
            ["CAPTURE_APP_IDS": "TEAM123456.com.example.other"], ["--devices", "1", "--captures", "2"])
        #expect(run.exitCode == 1 && run.output.contains("APP_NOT_ALLOWED"), "\(run.output)")
    }
}
