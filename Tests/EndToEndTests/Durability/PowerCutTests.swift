import CaptureModel
import CaptureQueue
import Foundation
import GatewayClient
import RedisCaptureQueue
import Synchronization
import TestSupport
import Testing

/// A power cut of Redis's machine: what it had not written to the disk when an answer was sent is gone after it.
@Suite("What was answered with 202 survives a power cut", .timeLimit(.minutes(5)))
struct PowerCutTests {
    private static let settings = ["--auto-aof-rewrite-percentage", "0"]

    /// What the power cut leaves of a Redis that was killed; tells which captures it does not know any more.
    private func lost(
        of answered: [CaptureID], in stack: Stack, keeping synced: [UInt64: UInt64]
    ) async throws -> (captures: [CaptureID], bytes: UInt64) {
        let bytes = try FsyncRecorder.cutPower(
            of: stack.redis.directory.appending(path: "appendonlydir"), keeping: synced)
        try await stack.redis.restart()
        return try await stack.withBackstage { queue, _, _ in
            let statuses = try await queue.status(of: answered)
            return (zip(answered, statuses).filter { $1 == nil }.map(\.0), bytes)
        }
    }

    /// Uploads with several phones at once until so many are answered, and kills Redis while more are under way.
    private func uploadAndKill(
        _ count: Int, through gateway: GatewayClient, to stack: Stack, _ recorder: FsyncRecorder
    ) async throws -> (answered: [CaptureID], synced: [UInt64: UInt64]) {
        let answers = Answers()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                let phone = try await Phone.register(with: gateway, authority: stack.authority)
                group.addTask {
                    while !Task.isCancelled {
                        let signed = try phone.shoot(seed: UInt64(number))
                        answers.note(try await phone.upload(signed))
                    }
                }
            }
            try await eventually { answers.all.count >= count }
            // In this order: what is answered after the look at the disk is not counted.
            let answered = answers.all
            let synced = try recorder.synced()
            try await stack.redis.kill()
            group.cancelAll()
            // The uploads that the power cut has met fail.
            while let result = await group.nextResult() { _ = result }
            return (answered, synced)
        }
    }

    private final class Answers: Sendable {
        private let captures = Mutex<[CaptureID]>([])
        var all: [CaptureID] { captures.withLock { $0 } }
        func note(_ capture: CaptureID) { captures.withLock { $0.append(capture) } }
    }

    @Test func `at fsync nothing answered is missing, under load`() async throws {
        let recorder = try await FsyncRecorder()
        let redis = try await PrivateRedis.start(Self.settings, environment: recorder.environment)
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_DURABILITY": "fsync"], redis: redis)
        let gateway = try await stack.gateway()
        let (answered, synced) = try await uploadAndKill(40, through: gateway.client, to: stack, recorder)
        #expect(try await lost(of: answered, in: stack, keeping: synced).captures == [])
        // Nor are their bytes: each comes to its verdict.
        let worker = try stack.worker()
        for capture in answered {
            let status = try await gateway.client.settled(capture, within: .seconds(240)) { _ in .token(Stack.token) }
            #expect(status.state == .verified)
        }
        try await worker.expectStop()
    }

    @Test func `at fsync there is no answer before the disk has it`() async throws {
        let recorder = try await FsyncRecorder()
        let redis = try await PrivateRedis.start(Self.settings, environment: recorder.environment)
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_DURABILITY": "fsync"], redis: redis)
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority).impatient
        let signed = try phone.shoot(seed: 1)
        try recorder.hold()
        let upload = Task { try await phone.upload(signed) }
        try await eventually { try recorder.isHolding() }
        try await stack.redis.kill()
        await #expect(throws: GatewayError.self) { try await upload.value }
    }

    @Test func `the same check finds what a second between two fsyncs costs`() async throws {
        let recorder = try await FsyncRecorder()
        let redis = try await PrivateRedis.start(
            Self.settings + ["--appendfsync", "everysec"], environment: recorder.environment)
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_DURABILITY": "relaxed"], redis: redis)
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority).impatient
        let signed = try phone.shoot(seed: 1)
        // The disk takes its time from here on, as any disk does between two fsyncs; the answer comes all the same.
        try recorder.hold()
        let capture = try await phone.upload(signed)
        let synced = try recorder.synced()
        try await stack.redis.kill()
        let (captures, bytes) = try await lost(of: [capture], in: stack, keeping: synced)
        #expect(captures == [capture])
        #expect(bytes > 0)
    }
}
