import CaptureModel
import CaptureQueue
import Foundation
import GatewayClient
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Bytes in files", .timeLimit(.minutes(3)))
struct FilesystemBundlesTests {
    @Test func `files and folders are on the disk before the answer, and gone after the verdict`() async throws {
        let scene = try await FilesystemScene.set()
        let recorder = try await FsyncRecorder()
        let gateway = try await scene.stack.gateway(recorder.environment)
        let phone = try await Phone.register(with: gateway.client, authority: scene.stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        let synced = try recorder.lines().map { $0.split(separator: " ", maxSplits: 3).map(String.init) }
        let folder = scene.directory.appending(path: "\(capture.description.suffix(2))/\(capture)").path
        for file in try scene.files(of: capture) {
            let size = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
            #expect(synced.contains { $0[0] == "f" && $0[2] == "\(size)" && $0[3] == file.path + ".partial-1" })
        }
        #expect(try scene.files(of: capture).count == 2)
        #expect(synced.contains { $0[0] == "d" && $0[3] == folder })
        #expect(synced.contains { $0[0] == "d" && folder.hasPrefix($0[3] + "/") && $0[3] != scene.directory.path })
        let worker = try scene.stack.worker()
        #expect(try await phone.settled(capture).state == .verified)
        try await eventually { try scene.files(of: capture).isEmpty }
        try await worker.expectStop()
    }

    @Test(arguments: ["photo", "depth"])
    func `bytes that changed in storage are tried again and blame nobody`(_ part: String) async throws {
        let scene = try await FilesystemScene.set()
        let gateway = try await scene.stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: scene.stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 2))
        let file = try #require(try scene.files(of: capture).first { $0.lastPathComponent.hasPrefix("\(part).") })
        let genuine = try Data(contentsOf: file)
        var changed = genuine
        changed[changed.count / 2] ^= 1
        try changed.write(to: file)
        let worker = try scene.stack.worker()
        try await state(of: capture, .retrying, .bundleCorrupt, "changed in storage", in: scene.stack)
        try genuine.write(to: file)
        #expect(try await phone.settled(capture).state == .verified)
        try await worker.expectStop()
    }

    @Test func `bytes that changed in storage come again with their bundle`() async throws {
        let scene = try await FilesystemScene.set()
        let gateway = try await scene.stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: scene.stack.authority)
        let shot = try phone.shoot(seed: 4)
        let capture = try await phone.upload(shot)
        for file in try scene.files(of: capture) { try Data("changed".utf8).write(to: file) }
        let worker = try scene.stack.worker([
            "CAPTURE_WORKER_ATTEMPTS_MAX": "2", "CAPTURE_WORKER_RETRY_BASE": "100ms",
        ])
        try await state(of: capture, .failed, .bundleCorrupt, "changed in storage", in: scene.stack)
        #expect(try await phone.upload(shot) == capture)
        #expect(try await phone.settled(capture).state == .verified)
        worker.signal(SIGTERM)
        #expect(try await worker.exitCode() == 0)
    }

    @Test func `a worker without the store puts the capture off, and one that has it settles it`() async throws {
        let scene = try await FilesystemScene.set()
        let gateway = try await scene.stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: scene.stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 3))
        let ignorant = try scene.stack.worker(["CAPTURE_BUNDLES_STORE": "redis", "CAPTURE_BUNDLES_DIRECTORY": ""])
        try await state(of: capture, .retrying, .internal, "store filesystem", in: scene.stack)
        try await ignorant.expectStop()
        let worker = try scene.stack.worker()
        #expect(try await phone.settled(capture).state == .verified)
        try await worker.expectStop()
    }

    @Test func `with a ledger nothing is lost when Redis loses everything`() async throws {
        let scene = try await FilesystemScene.set(redis: ["--appendonly", "no"])
        let gateway = try await scene.stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: scene.stack.authority)
        var captures: [CaptureID] = []
        for seed in 0..<3 { captures.append(try await phone.upload(try phone.shoot(seed: UInt64(seed)))) }
        try await scene.stack.redis.cli("FLUSHALL")
        let worker = try scene.stack.worker()
        for capture in captures { #expect(try await phone.settled(capture).state == .verified) }
        try await worker.expectStop()
    }

    /// Waits until the queue tells a state with a reason and a fault.
    private func state(
        of capture: CaptureID, _ state: CaptureState, _ reason: Reason?, _ words: String, in stack: Stack
    ) async throws {
        try await stack.withBackstage { queue, _, _ in
            try await eventually {
                let status = try await queue.status(of: [capture])[0]
                return status?.state == state && status?.reason == reason
                    && status?.fault?.contains(words) == true
            }
        }
    }
}
