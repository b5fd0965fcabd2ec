import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("Discarding leaves nothing behind", .timeLimit(.minutes(5)))
struct DiscardCommandTests {
    @Test func `the files of a discarded capture are gone at once, those of another stay`() async throws {
        let scene = try await FilesystemScene.set()
        let (gateway, client) = try await scene.stack.gateway()
        defer { withExtendedLifetime(gateway) {} }
        let phone = try await Phone.register(with: client, authority: scene.stack.authority)
        let discarded = try await phone.upload(try phone.shoot(seed: 1))
        let kept = try await phone.upload(try phone.shoot(seed: 2))
        try await scene.stack.withBackstage { queue, _, _ in
            let buried = try await queue.bury(fault: "of the test")
            #expect(Set(buried) == [discarded, kept])
        }
        #expect(try scene.files(of: discarded).count == 2)
        let run = try await scene.stack.capturectlJSON("dead", "discard", "\(discarded)", "--yes")
        #expect(run.exitCode == 0 && run.object["done"] as? Int == 1 && run.object["left_to_sweep_max"] as? Int == 0)
        #expect(try scene.files(of: discarded) == [])
        #expect(try scene.files(of: kept).count == 2)
    }

    @Test func `a directory that is away keeps nothing from being discarded, and is told`() async throws {
        let scene = try await FilesystemScene.set()
        let (gateway, client) = try await scene.stack.gateway()
        defer { withExtendedLifetime(gateway) {} }
        let phone = try await Phone.register(with: client, authority: scene.stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        try await scene.stack.withBackstage { queue, _, _ in _ = try await queue.bury(fault: "of the test") }
        let away = scene.directory.appendingPathExtension("away")
        try FileManager.default.moveItem(at: scene.directory, to: away)
        let run = try await scene.stack.capturectlJSON("dead", "discard", "\(capture)", "--yes")
        #expect(run.exitCode == 0 && run.object["done"] as? Int == 1 && run.object["left_to_sweep_max"] as? Int == 1)
        try FileManager.default.moveItem(at: away, to: scene.directory)
    }

    @Test func `a program without the directory says that the files are left`() async throws {
        let scene = try await FilesystemScene.set()
        let (gateway, client) = try await scene.stack.gateway()
        defer { withExtendedLifetime(gateway) {} }
        let phone = try await Phone.register(with: client, authority: scene.stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        try await scene.stack.withBackstage { queue, _, _ in _ = try await queue.bury(fault: "of the test") }
        let bare = scene.stack.environment.filter { !$0.key.hasPrefix("CAPTURE_BUNDLES_") }
        let run = try await LeashedProcess.run(
            Programs.path("capturectl"), ["dead", "discard", "\(capture)", "--yes"], environment: bare)
        #expect(run.exitCode == 0 && run.output.contains("bytes of up to 1 could not be removed from here"))
        #expect(try scene.files(of: capture).count == 2)
    }
}
