import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

@Suite("A signature can be checked by somebody who believes nobody but Apple", .timeLimit(.minutes(5)))
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
        let device: DeviceID

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
    }

    private func files(seed: UInt64, _ binding: Binding) async throws -> Files {
        let scene = try await Self.scene.value()
        let phone = try await Phone.register(with: scene.gateway, authority: scene.stack.authority)
        let signed = try phone.shoot(seed: seed, binding: binding)
        let capture = try await phone.upload(signed)
        #expect(try await phone.settled(capture).state == .verified)
        let files = Files(directory: try TemporaryDirectory.make("evidence"), capture: capture, device: phone.id)
        try await saveEvidence(files)
        try Data(signed.capture.photo).write(to: URL(filePath: files.path("photo.jpg")))
        try Data(signed.capture.depthMap).write(to: URL(filePath: files.path("depth.bin")))
        return files
    }

    /// Reads the evidence as it is now.
    private func saveEvidence(_ files: Files) async throws {
        let run = try await Self.scene.value().stack.capturectl("captures", "evidence", "\(files.capture)")
        #expect(run.exitCode == 0)
        try Data(run.output.utf8).write(to: URL(filePath: files.path("evidence.json")))
    }

    /// Runs without any of the system's settings, as somebody elsewhere does.
    private func run(
        _ files: Files, withMedia: Bool = true, appID: String? = Stack.appID, root: String?
    ) async throws -> (exitCode: Int32, output: String) {
        var arguments = ["evidence", "verify", "--evidence", files.path("evidence.json")]
        if let appID { arguments += ["--app-id", appID] }
        if withMedia { arguments += ["--photo", files.path("photo.jpg"), "--depth", files.path("depth.bin")] }
        if let root { arguments += ["--root", root] }
        return try await LeashedProcess.run(Programs.path("capturectl"), arguments, environment: [:])
    }

    /// The same with the answer read.
    private func verify(
        _ files: Files, withMedia: Bool = true, root: String?
    ) async throws -> (exitCode: Int32, answer: [String: Any]) {
        let run = try await run(files, withMedia: withMedia, root: root)
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
        #expect(whole.answer["recorded_reason"] is NSNull && whole.answer["compromised_since"] is NSNull)
        let unsigned = try #require(whole.answer["unsigned"] as? [String])
        #expect(unsigned.contains("result.received_at") && unsigned.contains("key.registered_at"))
        #expect(unsigned.contains("metadata") == (binding == .concatV1))
        let steps = try #require(whole.answer["steps"] as? [[String: Any]])
        #expect(steps.compactMap { $0["reason"] as? String } == (binding == .concatV1 ? ["NOT_SIGNED"] : []))
        let digests = try await verify(files, withMedia: false, root: root)
        #expect(digests.answer["verdict"] as? String == (binding == .concatV1 ? "incomplete" : "accepted"))
        let byHand = try await LeashedProcess.run(
            Repository.directory.appending(path: "Config/deploy/examples/check_evidence.py").path,
            [
                "--app-id", Stack.appID, "--root", root, "--evidence", files.path("evidence.json"),
                "--photo", files.path("photo.jpg"), "--depth", files.path("depth.bin"),
            ], environment: [:])
        #expect(byHand.exitCode == 0 && byHand.output.contains("pass attestation: nonce\n"), "\(byHand.output)")
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

    @Test func `what is accepted says what the record says of its key, which is another matter`() async throws {
        let scene = try await Self.scene.value()
        let root = scene.stack.directory.appendingPathComponent("root.pem").path
        let files = try await files(seed: 5, .framedV2)
        defer { try? FileManager.default.removeItem(at: files.directory) }
        let since = "2020-01-01T00:00:00.000Z"
        let noted = try await scene.stack.capturectl(
            "devices", "compromise", "\(files.device)", "--since", since, "--reason", "stolen", "--yes")
        #expect(noted.exitCode == 0, "\(noted.output)")
        try await saveEvidence(files)
        let found = try await verify(files, root: root)
        #expect(found.exitCode == 0 && found.answer["verdict"] as? String == "accepted")
        #expect(found.answer["compromised_since"] as? String == since)
        let unsigned = try #require(found.answer["unsigned"] as? [String])
        #expect(unsigned.contains("result.compromised_since"))
    }

    @Test func `media are read up to the largest that settings take`() async throws {
        let scene = try await Self.scene.value()
        let root = scene.stack.directory.appendingPathComponent("root.pem").path
        let files = try await files(seed: 6, .framedV2)
        defer { try? FileManager.default.removeItem(at: files.directory) }
        let cases: [(mebibytes: UInt64, exitCode: Int32)] = [(17, 1), (64, 1), (65, 64)]
        for name in ["photo.jpg", "depth.bin"] {
            let url = URL(filePath: files.path(name))
            let bytes = try Data(contentsOf: url)
            for (mebibytes, exitCode) in cases {
                let file = try FileHandle(forWritingTo: url)
                try file.truncate(atOffset: mebibytes << 20)
                try file.close()
                let run = try await run(files, root: root)
                #expect(run.exitCode == exitCode, "\(name) of \(mebibytes) MiB: \(run.output)")
                #expect(run.output.contains("DIGEST_MISMATCH") == (exitCode == 1))
            }
            try bytes.write(to: url)
        }
    }

    @Test func `no app to believe is bad usage, however good the evidence is`() async throws {
        let scene = try await Self.scene.value()
        let root = scene.stack.directory.appendingPathComponent("root.pem").path
        let files = try await files(seed: 7, .framedV2)
        defer { try? FileManager.default.removeItem(at: files.directory) }
        let run = try await run(files, appID: nil, root: root)
        #expect(run.exitCode == 64 && run.output.contains("Error: --app-id is missing"), "\(run.output)")
    }

    @Test func `help says what nobody signed, and what an exit code of 0 does not mean`() async throws {
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), ["evidence", "verify", "--help"], environment: [:])
        #expect(run.exitCode == 0)
        for word in ["NOT_SIGNED", "unsigned", "recorded_reason", "compromised_since"] {
            #expect(run.output.contains(word), "\(run.output)")
        }
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
        let fault = await #expect(throws: GatewayError.self) {
            try await scene.gateway.evidence(capture) { _ in .token(Stack.token) }
        }
        guard case .refused(let refusal) = fault else { throw fault ?? .cancelled }
        #expect(refusal.status == 403 && refusal.code == "FORBIDDEN")
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
