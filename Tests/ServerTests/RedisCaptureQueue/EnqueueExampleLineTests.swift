import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The line that the shell example of the hand-off has redis-cli read.
@Suite("The line that the shell example calls the function with", .timeLimit(.minutes(2)))
struct EnqueueExampleLineTests {
    /// With a zero byte, a quote and a backslash.
    private static let assertion: [UInt8] = [0xA2, 0x00, 0x22, 0x5C]

    private static func files(metadata: [UInt8]) throws -> ExampleFiles {
        try ExampleFiles(photo: [1], depth: [2], assertion: assertion, metadata: metadata)
    }

    /// Everybody on the machine sees arguments.
    @Test func `the metadata of a capture, with its place, are no argument of a program`() async throws {
        let server = try await PrivateRedis.start()
        let files = try Self.files(metadata: Array(#"{"location":{"latitude":52.520008}}"#.utf8))
        defer { files.remove() }
        let redis = files.directory.appending(path: "redis")
        let told = files.directory.appending(path: "told")
        try Data("printf '%s\\n' \"$@\" >>'\(told.path)'\nexec redis-cli \"$@\"\n".utf8).write(to: redis)
        try await QueueFixture.with(server) { _ in
            var maker = SubmissionMaker(seed: 160)
            let answer = try await EnqueueExample.shell.run(
                ["\(maker.device())"] + files.shellArguments,
                environment: ["REDIS_CLI": (["sh", redis.path] + server.cliAddress).joined(separator: " ")])
            #expect(answer.exitCode == 0 && answer.words.first == "accepted", "\(answer)")
            let arguments = try String(contentsOf: told, encoding: .utf8)
            #expect(arguments.contains("SET") && !arguments.contains("52.52"), "\(arguments)")
        }
        try await server.stop()
    }

    @Test func `metadata of every byte are handed off as they are, up to the largest`() async throws {
        let server = try await PrivateRedis.start()
        let everyByte = (0...255).map { UInt8($0) }
        let largest = [[UInt8]](repeating: everyByte, count: 256).flatMap { $0 }
        try await QueueFixture.with(server) { fixture in
            let queue = RedisCaptureQueue(client: fixture.client, consumer: "examples", logger: fixture.logger)
            var maker = SubmissionMaker(seed: 161)
            for metadata in [everyByte, Array("\n".utf8), largest] {
                let files = try Self.files(metadata: metadata)
                defer { files.remove() }
                let answer = try await EnqueueExample.shell.handOff(files, of: maker.device(), to: server)
                #expect(answer.exitCode == 0 && answer.words.first == "accepted", "\(answer)")
                let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
                #expect(lease.jobs.map { $0.submission?.metadata } == [metadata])
                #expect(lease.jobs.map { $0.submission?.assertion } == [Self.assertion])
                _ = try await queue.settle([lease.settling()])
            }
        }
        try await server.stop()
    }

    /// A gateway may take the binding from what a client has sent.
    @Test(arguments: ["x\"\nSET stranger 1\n\"", "x stranger y", "x\\\"\nSET stranger 1"])
    func `a binding is one word of the line, whatever is in it`(binding: String) async throws {
        let server = try await PrivateRedis.start()
        let files = try Self.files(metadata: Array("{}".utf8))
        defer { files.remove() }
        try await QueueFixture.with(server) { fixture in
            var maker = SubmissionMaker(seed: 162)
            let answer = try await EnqueueExample.shell.run(
                ["\(maker.device())"] + files.shellArguments,
                environment: [
                    "REDIS_CLI": (["redis-cli"] + server.cliAddress).joined(separator: " "),
                    "CAPTURE_BINDING": binding,
                ])
            #expect(answer.exitCode == 65, "\(answer)")
            #expect(answer.lines == ["enqueue.sh: INVALID binding: not concat-v1 or framed-v2"], "\(answer)")
            #expect(try await fixture.redis("EXISTS", "stranger").int == 0)
        }
        try await server.stop()
    }

    /// With a zero before the number the keys would be those of a queue that nobody works.
    @Test(arguments: ["x", "-1", "1 2", "0}:ready\nSET stranger 1\n", "00", "07", "1024", "10000"])
    func `a partition that no queue has is bad usage`(partition: String) async throws {
        let files = try Self.files(metadata: Array("{}".utf8))
        defer { files.remove() }
        var maker = SubmissionMaker(seed: 163)
        let answer = try await EnqueueExample.shell.run(
            ["\(maker.device())"] + files.shellArguments,
            environment: ["REDIS_CLI": "redis-cli -p 1", "CAPTURE_PARTITION": partition])
        #expect(answer.exitCode == 64 && answer.told == nil, "\(answer)")
        let words = "enqueue.sh: CAPTURE_PARTITION has to be a number from 0 to 1023, without zeros before it"
        #expect(answer.lines == [words], "\(answer)")
    }
}
