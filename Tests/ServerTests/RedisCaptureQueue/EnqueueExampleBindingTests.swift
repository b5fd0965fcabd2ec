import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import TestSupport
import Testing

/// Handed off by another binding than its device signed, a genuine capture would be rejected.
@Suite("Bindings that the examples of the hand-off take", .timeLimit(.minutes(2)))
struct EnqueueExampleBindingTests {
    private static func files(_ metadata: String) throws -> ExampleFiles {
        try ExampleFiles(photo: [1], depth: [2], assertion: [0xA2], metadata: Array(metadata.utf8))
    }

    /// As our gateway answers 400.
    @Test func `the python example takes no binding that is empty, or of another type, for none`() async throws {
        let server = try await PrivateRedis.start()
        try await QueueFixture.with(server) { _ in
            var maker = SubmissionMaker(seed: 164)
            for value in ["\"\"", "\"concat-v2\"", "false", "true", "0", "[]", "{}"] {
                let files = try Self.files("{\"binding\": \(value)}")
                defer { files.remove() }
                let answer = try await EnqueueExample.python.handOff(files, of: maker.device(), to: server)
                #expect(answer.exitCode == 65, "\(value): \(answer)")
                let words = "enqueue.py: INVALID binding: not concat-v1 or framed-v2"
                #expect(answer.lines == [words], "\(value): \(answer)")
            }
        }
        try await server.stop()
    }

    @Test func `the python example takes metadata without a binding, or with null, for those of concat-v1`()
        async throws
    {
        try await QueueFixture.withOwnServer { fixture in
            let queue = RedisCaptureQueue(client: fixture.client, consumer: "examples", logger: fixture.logger)
            var maker = SubmissionMaker(seed: 165)
            for metadata in ["{}", #"{"binding": null}"#] {
                let files = try Self.files(metadata)
                defer { files.remove() }
                let answer = try await EnqueueExample.python.handOff(files, of: maker.device(), to: fixture.server)
                #expect(answer.exitCode == 0 && answer.words.first == "accepted", "\(metadata): \(answer)")
                let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
                #expect(lease.jobs.map { $0.submission?.binding } == [.concatV1], "\(metadata)")
                _ = try await queue.settle([lease.settling()])
            }
        }
    }

    /// In JSON each letter may be written as an escape.
    @Test(arguments: [
        #"{"binding" : "framed-v2"}"#, #"{"bind\u0069ng":"framed-v2"}"#,
        #"{"\u0062\u0069\u006E\u0064\u0069\u006e\u0067":"framed-v2"}"#,
    ])
    func `the shell example does not guess a binding that the metadata name`(metadata: String) async throws {
        let server = try await PrivateRedis.shared()
        let files = try Self.files(metadata)
        defer { files.remove() }
        var maker = SubmissionMaker(seed: 25)
        let answer = try await EnqueueExample.shell.handOff(files, of: maker.device(), to: server)
        #expect(answer.exitCode == 64 && answer.told == nil, "\(answer)")
        #expect(answer.lines.contains { $0.contains("CAPTURE_BINDING") }, "\(answer)")
    }

    /// Other escapes ask nobody for a binding.
    @Test func `the shell example hands metadata with escapes off that name no binding`() async throws {
        let server = try await PrivateRedis.start()
        let files = try Self.files(#"{"device_model":"\u0069Phone M\u00fcller","bindings":"\\u0062inding"}"#)
        defer { files.remove() }
        try await QueueFixture.with(server) { _ in
            var maker = SubmissionMaker(seed: 166)
            let answer = try await EnqueueExample.shell.handOff(files, of: maker.device(), to: server)
            #expect(answer.exitCode == 0 && answer.words.first == "accepted", "\(answer)")
        }
        try await server.stop()
    }
}
