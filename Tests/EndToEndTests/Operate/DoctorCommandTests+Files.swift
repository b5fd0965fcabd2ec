import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import TestSupport
import Testing

/// Captures whose bytes are in files.
extension DoctorCommandTests {
    @Test func `captures in files are looked for, and those without are named`() async throws {
        let scene = try await FilesystemScene.set()
        let stack = scene.stack
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let lost = try await phone.upload(try phone.shoot(seed: 1))
        let waiting = try await phone.upload(try phone.shoot(seed: 2))
        try await stack.withBackstage { queue, _, _ in
            let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            _ = try await queue.settle([
                LaneSettlement(
                    token: lease.token, device: lease.device,
                    items: [.init(id: lost, disposition: .dead(.attemptsExhausted, fault: "of the test"))],
                    continuation: .ready)
            ])
        }
        // Nobody is missed who works.
        #expect(try await stack.capturectl("pause").exitCode == 0)
        let well = try await stack.capturectlJSON("doctor")
        #expect(try check("bytes in files", of: well.object)["state"] as? String == "ok")
        #expect(try check("writes to files", of: well.object)["state"] as? String == "ok")
        #expect(well.exitCode == 0, "\(well.object)")
        for capture in [lost, waiting] {
            try FileManager.default.removeItem(at: try #require(try scene.files(of: capture).first))
        }
        let ill = try await stack.capturectlJSON("doctor")
        let found = try check("bytes in files", of: ill.object)
        #expect(ill.exitCode == 1 && found["state"] as? String == "problem")
        #expect(Set(found["examples"] as? [String] ?? []) == [lost.description, waiting.description])
        let unread = try await withoutItsMark(scene)
        #expect(unread["state"] as? String == "note", "\(unread)")
        #expect((unread["found"] as? String)?.contains("Permission denied") == true, "\(unread)")
        #expect((unread["meaning"] as? String)?.contains("they do not start") == true, "\(unread)")
        // As an empty directory is where nothing is mounted.
        try FileManager.default.removeItem(at: scene.directory.appending(path: "capture-bundles"))
        let away = try check("bytes in files", of: try await stack.capturectlJSON("doctor").object)
        #expect((away["found"] as? String)?.contains("not mounted") == true, "\(away)")
        let repair = try #require((away["repair"] as? String)?.firstMatch(of: /capturectl (migrate[ a-z-]*) prepares/))
        let words = repair.output.1.split(separator: " ").map(String.init)
        let run = try await stack.capturectl(words)
        #expect(run.exitCode == 0, "\(words): \(run.output)")
    }

    /// What is said of a directory that is there, and whose mark whoever runs the doctor may not read.
    private func withoutItsMark(_ scene: FilesystemScene) async throws -> [String: Any] {
        func allow(_ permissions: Int, _ path: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        }
        let mark = scene.directory.appending(path: "capture-bundles").path
        try allow(0o000, mark)
        // Root reads everything: then it is another user, to whom all else is open.
        var command = ["env"]
        if geteuid() == 0 {
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
            try allow(0o777, scene.stack.redis.url.replacing("unix://", with: ""))
            try allow(0o755, scene.directory.path)
            for capture in try FileManager.default.subpathsOfDirectory(atPath: scene.directory.path) {
                let path = scene.directory.appending(path: capture).path
                if path != mark { try allow(0o755, path) }
            }
        }
        command += [Programs.path("capturectl"), "doctor", "--json"]
        let run = try await LeashedProcess.run(
            command[0], Array(command.dropFirst()), environment: scene.stack.environment)
        try allow(0o600, mark)
        let line = try #require(run.output.split(separator: "\n").last)
        let report = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        return try check("bytes in files", of: report)
    }
}
