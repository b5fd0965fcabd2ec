import Foundation
import TestSupport
import Testing

extension DoctorCommandTests {
    /// As README brings Redis back; a worker finds the results and acknowledges the captures again.
    @Test func `captures of an older queue that were settled since have no files, and have lost none`() async throws {
        let scene = try await FilesystemScene.set(redis: ["--auto-aof-rewrite-percentage", "0"])
        let stack = scene.stack
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        // Nobody is there to enqueue it a second time.
        try await gateway.process.kill()
        let queue = stack.redis.directory.appending(path: "appendonlydir")
        let older = stack.directory.appending(path: "older")
        try await stack.redis.stop()
        try FileManager.default.copyItem(at: queue, to: older)
        try await stack.redis.restart()

        let worker = try stack.worker()
        try await eventually { try scene.files(of: capture).isEmpty }
        worker.signal(SIGTERM)
        #expect(try await worker.exitCode() == 0)
        let results = try await stack.psql("SELECT count(*) FROM captures")
        try #require(results.hasPrefix("1"), "\(results)")

        try await stack.redis.stop()
        try FileManager.default.removeItem(at: queue)
        try FileManager.default.copyItem(at: older, to: queue)
        try await stack.redis.restart()
        // Nobody is missed who works.
        #expect(try await stack.capturectl("pause").exitCode == 0)
        let report = try await stack.capturectlJSON("doctor")
        #expect(report.exitCode == 0, "\(report.object)")
        let left = try check("results", of: report.object)
        #expect(left["state"] as? String == "note", "it is in the queue again: \(left)")
        #expect(try check("bytes in files", of: report.object)["state"] as? String == "ok")
    }
}
