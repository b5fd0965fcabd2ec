import CaptureModel
import TestSupport
import Testing

@Suite("The examples of the hand-off over TLS", .timeLimit(.minutes(2)))
struct EnqueueExampleTLSTests {
    private static func handOff(
        _ example: EnqueueExample, _ files: ExampleFiles, of device: DeviceID, port: Int
    ) async throws -> EnqueueExample.Answer {
        switch example {
        case .python:
            return try await example.run(
                ["--redis", "rediss://localhost:\(port)", "--device", "\(device)"] + files.pythonArguments)
        case .shell:
            return try await example.run(
                ["\(device)"] + files.shellArguments,
                environment: ["REDIS_CLI": "redis-cli -h localhost -p \(port) --tls"])
        }
    }

    /// No retry mends it: somebody has to hear of it.
    @Test(arguments: EnqueueExample.allCases)
    func `a certificate that is not trusted is told as the gateway's own fault`(example: EnqueueExample) async throws {
        let files = try ExampleFiles.ofEveryByte()
        defer { files.remove() }
        var maker = SubmissionMaker(seed: 167)
        let device = maker.device()
        try await PrivateRedis.withTLS(name: "DNS:localhost") { _, port, _ in
            let answer = try await Self.handOff(example, files, of: device, port: port)
            #expect(answer.exitCode == 70 && answer.told != nil, "\(answer)")
            #expect(answer.lines.count == 1 && answer.output.contains("certificate verify failed"), "\(answer)")
        }
    }
}
