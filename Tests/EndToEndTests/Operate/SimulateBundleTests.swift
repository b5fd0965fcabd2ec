import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

/// The way through the README's examples, for whoever has no phone.
@Suite("A simulated device's files lead to evidence that is accepted", .timeLimit(.minutes(5)))
struct SimulateBundleTests {
    private struct Scene: Sendable {
        let stack: Stack
        let address: String
        let processes: [LeashedProcess]
    }

    private static let scene = Once<Scene> {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        return Scene(stack: stack, address: client.configuration.url, processes: [gateway, try stack.worker()])
    }

    private struct Answer: Decodable {
        let device_id: String
        let binding: String
        let directory: String
        let commands: [String: String]
    }

    private static func make(
        _ out: String, at address: String, ca: String, _ more: String...
    ) async throws -> CommandLineRun {
        try await CommandLineRun(
            [
                "simulate", "bundle", "--gateway", address, "--app-id", Stack.appID, "--ca", ca, "--photo-bytes",
                "40000", "--out", out,
            ] + more)
    }

    /// Runs a printed command as it would be pasted, in a shell in the bundle's directory.
    private static func paste(
        _ command: String?, _ answer: Answer, _ stack: Stack, capture: String = ""
    ) async throws -> (exitCode: Int32, output: String) {
        let command = try #require(command)
        let programs = URL(fileURLWithPath: Programs.path("capturectl")).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let more = ["PATH": "\(programs):\(path)", "CAPTURE_TOKEN": Stack.token, "CAPTURE": capture]
        return try await LeashedProcess.run(
            // The gateway's answer has no end of line, and only whole lines are taken up.
            "sh", ["-c", "\(command) && echo"], environment: stack.environment.merging(more) { $1 },
            directory: URL(fileURLWithPath: answer.directory))
    }

    @Test(arguments: Binding.allCases)
    func `each printed command leads on to the next`(binding: Binding) async throws {
        let scene = try await Self.scene.value()
        let folder = try TemporaryDirectory.make("bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = try await Self.make(
            folder.appendingPathComponent("new one").path, at: scene.address, ca: scene.stack.directory.path,
            "--binding", binding.rawValue, "--json")
        #expect(made.exitCode == 0, "\(made.errors)")
        let answer = try JSONDecoder().decode(Answer.self, from: Data(made.output.utf8))
        #expect(answer.binding == binding.rawValue)

        let uploaded = try await Self.paste(answer.commands["upload"], answer, scene.stack)
        #expect(uploaded.exitCode == 0, "\(uploaded.output)")
        let body = try JSONSerialization.jsonObject(with: Data(uploaded.output.utf8)) as? [String: Any]
        let capture = try #require((body?["data"] as? [String: Any])?["capture_id"] as? String, "\(uploaded.output)")
        let sent = try await Self.paste(answer.commands["submit"], answer, scene.stack)
        #expect(sent.exitCode == 0 && sent.output.contains(capture), "\(sent.output)")
        #expect(sent.output.contains("verified"), "\(sent.output)")
        let read = try await Self.paste(answer.commands["evidence"], answer, scene.stack, capture: capture)
        #expect(read.exitCode == 0, "\(read.output)")
        let verified = try await Self.paste(answer.commands["verify"], answer, scene.stack)
        #expect(verified.exitCode == 0 && verified.output.contains(#""verdict":"accepted""#), "\(verified.output)")
    }

    @Test func `people are told the device, the binding and the commands of a simulated bundle`() async throws {
        let scene = try await Self.scene.value()
        let folder = try TemporaryDirectory.make("bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        let out = folder.appendingPathComponent("new").path
        let made = try await Self.make(out, at: scene.address, ca: scene.stack.directory.path)
        #expect(made.exitCode == 0, "\(made.errors)")
        for words in ["device ", "framed-v2", "cd \(out)", "capturectl evidence verify"] {
            #expect(made.output.contains(words), "\(made.output)")
        }
    }

    @Test func `what is there already stays, and is bad usage before anybody is asked`() async throws {
        let folder = try TemporaryDirectory.make("bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = try await Self.make(folder.path, at: "http://127.0.0.1:1", ca: "/none")
        #expect(made.exitCode == 64 && made.errors.contains("is there already"), "\(made.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [("--binding", "v3", "--binding takes"), ("--photo-bytes", "1", "--photo-bytes takes")])
    func `neither is what no capture can be`(option: String, value: String, words: String) async throws {
        let made = try await CommandLineRun([
            "simulate", "bundle", "--gateway", "http://127.0.0.1:1", "--app-id", Stack.appID, "--ca", "/none", "--out",
            "/none/new", option, value,
        ])
        #expect(made.exitCode == 64 && made.errors.contains(words), "\(made.errors)")
    }

    @Test func `a device that the gateway does not believe leaves no files`() async throws {
        let scene = try await Self.scene.value()
        let folder = try TemporaryDirectory.make("bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        let stranger = folder.appendingPathComponent("stranger").path
        try TestCertificateAuthority(at: Date()).write(directory: stranger)
        let out = folder.appendingPathComponent("new").path
        let made = try await Self.make(out, at: scene.address, ca: stranger)
        #expect(made.exitCode == 1 && made.errors.contains("is --ca what the gateway trusts?"), "\(made.errors)")
        #expect(!FileManager.default.fileExists(atPath: out))
    }

    @Test func `an app that the gateway does not take is told as that, and not as a wrong authority`() async throws {
        let scene = try await Self.scene.value()
        let folder = try TemporaryDirectory.make("bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        let out = folder.appendingPathComponent("new").path
        let made = try await CommandLineRun([
            "simulate", "bundle", "--gateway", scene.address, "--app-id", "TEAM123456.com.other", "--ca",
            scene.stack.directory.path, "--photo-bytes", "40000", "--out", out,
        ])
        let words = "not believed (RP_ID_MISMATCH): is --app-id one of the gateway's app.ids?\nThe device "
        #expect(made.exitCode == 1 && made.errors.contains(words), "\(made.errors)")
        #expect(!FileManager.default.fileExists(atPath: out))
    }
}
