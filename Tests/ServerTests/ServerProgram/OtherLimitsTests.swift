import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A program whose limits are not the queue's", .timeLimit(.minutes(2)))
struct OtherLimitsTests {
    private let program = CheckedProgram()

    /// The uploads that a lower one refuses are captures of somebody.
    @Test(arguments: [("photo_bytes_max", "capture.photoBytesMax"), ("depth_bytes_max", "capture.depthBytesMax")])
    func `a program that starts with another limit than the queue has warns once, and names both numbers`(
        name: String, setting: String
    ) async throws {
        let own = RedisQueueConfiguration.ofTests
        try await program.whileChecked(before: { fixture in
            try await fixture.queue().applyLimits()
            try await fixture.redis("HSET", .string(fixture.keyspace[0].limits), .string(name), 30_000)
        }) { _, _ in
        }
        let recorder = program.recorder
        #expect(recorder.lines == ["warning the queue has another limit than this program"])
        #expect(recorder.values(of: "setting") == [setting] && recorder.values(of: "kept") == ["30000"])
        let number = name == "photo_bytes_max" ? own.photoBytesMax : own.depthBytesMax
        #expect(recorder.values(of: "limit") == ["\(number)"])
    }

    @Test func `limits that are the queue's, that nobody has set or that are damaged are no news`() async throws {
        try await program.whileChecked(before: { fixture in
            try await fixture.queue().applyLimits()
            let limits = RedisArgument.string(fixture.keyspace[0].limits)
            try await fixture.redis("HDEL", limits, "photo_bytes_max")
            try await fixture.redis("HSET", limits, "depth_bytes_max", "x")
        }) { _, _ in
        }
        #expect(program.recorder.lines.isEmpty)
    }
}
