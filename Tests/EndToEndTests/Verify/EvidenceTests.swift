import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

@Suite("A verdict can be checked by somebody who believes nobody but Apple", .timeLimit(.minutes(5)))
struct EvidenceTests {
    struct Scene: Sendable {
        let stack: Stack
        let gateway: GatewayClient
        let processes: [LeashedProcess]
    }

    private static let scene = Once<Scene> {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway()
        return Scene(stack: stack, gateway: gateway.client, processes: [gateway.process, try stack.worker()])
    }

    /// Files that hold a settled capture's evidence, photo and depth map.
    private struct Files {
        let directory: URL
        let capture: CaptureID

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
    }

    private func files(seed: UInt64, _ binding: Binding) async throws -> Files {
        let scene = try await Self.scene.value()
        let phone = try await Phone.register(with: scene.gateway, authority: scene.stack.authority)
        let signed = try phone.shoot(seed: seed, binding: binding)
        let capture = try await phone.upload(signed)
        #expect(try await phone.settled(capture).state == .verified)
        let files = Files(directory: try TemporaryDirectory.make("evidence"), capture: capture)
        let run = try await scene.stack.capturectl("captures", "evidence", "\(capture)")
        #expect(run.exitCode == 0)
        try Data(run.output.utf8).write(to: URL(filePath: files.path("evidence.json")))
        try Data(signed.capture.photo).write(to: URL(filePath: files.path("photo.jpg")))
        try Data(signed.capture.depthMap).write(to: URL(filePath: files.path("depth.bin")))
        return files
    }

    /// Runs without any of the system's settings, as somebody elsewhere does.
    private func verify(
        _ files: Files, withMedia: Bool = true, root: String?
    ) async throws -> (exitCode: Int32, answer: [String: Any]) {
        var arguments = ["evidence", "verify", "--app-id", Stack.appID, "--evidence", files.path("evidence.json")]
        if withMedia { arguments += ["--photo", files.path("photo.jpg"), "--depth", files.path("depth.bin")] }
        if let root { arguments += ["--root", root] }
        let run = try await LeashedProcess.run(Programs.path("capturectl"), arguments, environment: [:])
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        return (run.exitCode, object ?? [:])
    }

    @Test(arguments: Binding.allCases)
    func `what the system verified is accepted without it`(_ binding: Binding) async throws {
        let scene = try await Self.scene.value()
        let root = scene.stack.directory.appendingPathComponent("root.pem").path
        let files = try await files(seed: binding == .concatV1 ? 1 : 2, binding)
        defer { try? FileManager.default.removeItem(at: files.directory) }
        let whole = try await verify(files, root: root)
        #expect(whole.exitCode == 0 && whole.answer["verdict"] as? String == "accepted")
        #expect(whole.answer["capture_id"] as? String == "\(files.capture)")
        #expect(whole.answer["recorded"] as? String == "verified")
        let digests = try await verify(files, withMedia: false, root: root)
        #expect(digests.answer["verdict"] as? String == (binding == .concatV1 ? "incomplete" : "accepted"))
        let apples = try await verify(files, root: nil)
        #expect(apples.exitCode == 1 && apples.answer["verdict"] as? String == "rejected", "Apple's root is another")
    }

    @Test func `a photo that was changed since is rejected`() async throws {
        let scene = try await Self.scene.value()
        let root = scene.stack.directory.appendingPathComponent("root.pem").path
        let files = try await files(seed: 3, .framedV2)
        defer { try? FileManager.default.removeItem(at: files.directory) }
        let photo = URL(filePath: files.path("photo.jpg"))
        var bytes = try Data(contentsOf: photo)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: photo)
        let found = try await verify(files, root: root)
        #expect(found.exitCode == 1 && found.answer["verdict"] as? String == "rejected")
    }

    @Test func `the gateway's answer is the same evidence, to the device that took the photo`() async throws {
        let scene = try await Self.scene.value()
        let phone = try await Phone.register(with: scene.gateway, authority: scene.stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 4))
        #expect(try await phone.settled(capture).state == .verified)
        let answer = try await scene.gateway.evidence(capture) { body in
            let signed = try CaptureSigner(device: phone.device).sign(
                body: body, device: phone.id, at: Timestamp.systemTime())
            return .device(signed.device, timestamp: signed.timestamp, signature: signed.assertion)
        }
        let run = try await scene.stack.capturectlJSON("captures", "evidence", "\(capture)")
        #expect(answer["assertion"]?.string == run.object["assertion"] as? String)
        #expect(answer["key"]?["attestation_object"]?.string?.isEmpty == false)
        await #expect(throws: GatewayError.self) {
            try await scene.gateway.evidence(capture) { _ in .token(Stack.token) }
        }
    }

    @Test func `what is no evidence is bad usage`() async throws {
        let directory = try TemporaryDirectory.make("evidence")
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("evidence.json").path
        try Data("{}".utf8).write(to: URL(filePath: path))
        for arguments in [["--app-id", Stack.appID], []] {
            let run = try await LeashedProcess.run(
                Programs.path("capturectl"), ["evidence", "verify", "--evidence", path] + arguments, environment: [:])
            #expect(run.exitCode == 64)
        }
    }
}
