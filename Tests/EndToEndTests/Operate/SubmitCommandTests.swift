import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

@Suite("capturectl sends a capture from files", .timeLimit(.minutes(5)))
struct SubmitCommandTests {
    @Test func `a capture is sent from files, and its verdict is the exit code`() async throws {
        let scene = try await OperatorScene.shared.value()
        let phone = try await Phone.register(with: scene.phone.gateway, authority: scene.stack.authority)
        let good = try phone.shoot(seed: 3)
        let sent = try await Self.submit(good.capture, good.assertion, phone, scene, "--wait", "120", "--json")
        #expect(sent.exitCode == 0, "\(sent.output)")
        #expect(sent.output.contains("\"status\":\"verified\""))
        #expect(sent.output.contains("\"duplicate\":false"), "\(sent.output)")
        let again = try await Self.submit(good.capture, good.assertion, phone, scene, "--json")
        #expect(again.exitCode == 0 && again.output.contains("\"status\":\"verified\""), "the same capture")
        #expect(again.output.contains("\"duplicate\":true"), "\(again.output)")
        let base64 = Array(Data(try phone.shoot(seed: 4).assertion).base64EncodedString().utf8)
        let forged = try await Self.submit(good.capture, base64, phone, scene, "--wait", "120")
        #expect(forged.exitCode == 1 && forged.output.contains("SIGNATURE_INVALID"), "\(forged.output)")
        let refused = try await Self.submit(good.capture, [1, 2, 3], phone, scene)
        #expect(refused.exitCode == 1, "\(refused.output)")
        #expect(try await Self.submit(good.capture, good.assertion, phone, scene, "--wait", "0").exitCode == 64)
        let empty = try await Self.submit(good.capture, good.assertion, phone, scene, photo: [])
        #expect(empty.exitCode == 1 && empty.output.contains("(field photo)"), "\(empty.output)")
        // How large a photo may be is the gateway's to say.
        let large = good.capture.photo + [UInt8](repeating: 0, count: 17 << 20)
        let tooLarge = try await Self.submit(good.capture, good.assertion, phone, scene, photo: large)
        #expect(tooLarge.exitCode == 1 && tooLarge.output.contains("TOO_LARGE"), "\(tooLarge.output)")
    }

    @Test func `what is accepted is told, whatever comes of waiting for its verdict`() async throws {
        let scene = try await OperatorScene.shared.value()
        let phone = try await Phone.register(with: scene.phone.gateway, authority: scene.stack.authority)
        let good = try phone.shoot(seed: 5)
        let sent = try await Self.submit(
            good.capture, good.assertion, phone, scene, "--wait", "60", "--json", "--token", "stale")
        #expect(sent.exitCode == 69 && sent.output.contains("refused with 401"), "\(sent.output)")
        let line = try #require(sent.output.split(separator: "\n").first { $0.hasPrefix("{") })
        let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let capture = try #require((answer?["capture_id"] as? String).flatMap { CaptureID($0) })
        #expect(try await phone.settled(capture).state == .verified)
        let empty = try await Self.submit(
            good.capture, good.assertion, phone, scene, "--wait", "60", "--json", "--token", "")
        #expect(empty.exitCode == 0 && empty.output.contains("\(capture)"), "the variable's: \(empty.output)")
        let again = try await Self.submit(
            good.capture, good.assertion, phone, scene, "--wait", "60", "--json", "--token", "stale")
        #expect(again.exitCode == 0 && again.output.contains("\"status\":\"verified\""), "\(again.output)")
        #expect(again.output.contains(", but nothing more is known: refused with 401"), "\(again.output)")
    }

    /// Not by SIGINT, which a shell without a terminal has its children ignore.
    @Test func `a signal ends the wait, and the answer still has the id`() async throws {
        let (process, folder) = try await Self.waiting("60")
        defer { try? FileManager.default.removeItem(at: folder) }
        let line = try await process.line(containing: " is accepted; waiting for the verdict")
        process.signal(SIGTERM)
        #expect(try await process.exitCode() == 143, "\(process.output)")
        let id = try #require(line.split(separator: " ").first)
        let answer =
            #"{"capture_id":"\#(id)","confidence":null,"duplicate":false,"fault":null,"reason":null,"status":"queued"}"#
        #expect(process.output.split(separator: "\n").last.map(String.init) == answer, "\(process.output)")
    }

    @Test func `a verdict that does not come in time is told on the error stream`() async throws {
        let (process, folder) = try await Self.waiting("3")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await process.exitCode() == 69, "\(process.output)")
        let words = "capturectl: accepted, but there was no verdict within 3 s"
        #expect(process.output.split(separator: "\n").contains { $0 == words }, "\(process.output)")
    }

    /// A command that waits so long for the verdict on a capture that nobody works on, and the folder of its files.
    private static func waiting(_ seconds: String) async throws -> (process: LeashedProcess, folder: URL) {
        let scene = try await idle.value()
        let phone = try await Phone.register(with: scene.client, authority: scene.stack.authority)
        let shot = try phone.shoot(seed: 6)
        let folder = try TemporaryDirectory.make("submit")
        let files = try Self.files(of: shot.capture, shot.assertion, in: folder)
        let process = try LeashedProcess(
            Programs.path("capturectl"),
            ["submit", "--gateway", scene.client.configuration.url, "--device", "\(phone.id)"] + files
                + ["--wait", seconds, "--json"],
            environment: ["CAPTURE_TOKEN": Stack.token])
        return (process, folder)
    }

    /// A stack with a gateway and no worker.
    private static let idle = Once<(stack: Stack, gateway: LeashedProcess, client: GatewayClient)> {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        return (stack, gateway, client)
    }

    /// Pauses are told wherever the error stream leads, and end with the time that sending may take.
    @Test func `a gateway that is away is asked again for as long as was said, and no longer`() async throws {
        let folder = try TemporaryDirectory.make("submit")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("part").path
        try Data("part".utf8).write(to: URL(fileURLWithPath: file))
        let run = try await CommandLineRun([
            "submit", "--gateway", "http://127.0.0.1:1", "--device", "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21", "--photo",
            file, "--depth", file, "--assertion", file, "--metadata", file, "--timeout", "1",
        ])
        #expect(run.exitCode == 69 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.hasPrefix("no answer: Connection refused: trying again in 0."), "\(run.errors)")
        let end = "capturectl: not sent within 1 s; last: no answer: Connection refused\n"
        #expect(run.errors.hasSuffix(end), "\(run.errors)")
    }

    private static func submit(
        _ capture: SyntheticCapture, _ assertion: [UInt8], _ phone: Phone, _ scene: OperatorScene, _ more: String...,
        photo: [UInt8]? = nil
    ) async throws -> (exitCode: Int32, output: String) {
        let folder = try TemporaryDirectory.make("submit")
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try Self.files(of: capture, assertion, photo: photo, in: folder)
        return try await LeashedProcess.run(
            Programs.path("capturectl"),
            ["submit", "--gateway", scene.address, "--device", "\(phone.id)"] + files + more,
            environment: ["CAPTURE_TOKEN": Stack.token])
    }

    /// Writes the parts of an upload into a folder and gives the options that name them.
    private static func files(
        of capture: SyntheticCapture, _ assertion: [UInt8], photo: [UInt8]? = nil, in folder: URL
    ) throws -> [String] {
        let parts = [
            ("photo", photo ?? capture.photo), ("depth", capture.depthMap), ("assertion", assertion),
            ("metadata", capture.metadata),
        ]
        return try parts.flatMap { name, bytes in
            let file = folder.appendingPathComponent(name)
            try Data(bytes).write(to: file)
            return ["--\(name)", file.path]
        }
    }
}
