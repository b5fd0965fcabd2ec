import CaptureModel
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import TestSupport
import Testing

@Suite("Gateways in other languages hand captures off", .timeLimit(.minutes(5)))
struct HandOffTests {
    private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Config/deploy/examples")

    /// A genuine capture as files, the way another gateway has it.
    private func files(of signed: SignedCapture, in folder: URL) throws -> [String: String] {
        var paths: [String: String] = [:]
        for (name, bytes) in [
            ("photo", signed.capture.photo), ("depth", signed.capture.depthMap), ("assertion", signed.assertion),
            ("metadata", signed.capture.metadata),
        ] {
            let file = folder.appendingPathComponent(name)
            try Data(bytes).write(to: file)
            paths[name] = file.path
        }
        return paths
    }

    @Test(arguments: ["enqueue.sh", "enqueue.py"])
    func `what plain tools hand off is verified`(example: String) async throws {
        let stack = try await Stack.start()
        let worker = try stack.worker()
        try await stack.withBackstage { queue, _, store in
            let crowd = try await Crowd.register(1, in: store)
            let (device, phone) = crowd.devices[0]
            let capture = try SyntheticCapture(seed: 21, photoBytes: 40_000, capturedAt: Timestamp(Date()))
            let files = try files(of: try CaptureSigner(device: phone).sign(capture), in: stack.directory)
            let path = Self.examples.appendingPathComponent(example).path
            let result =
                if example.hasSuffix(".sh") {
                    try await LeashedProcess.run(
                        "sh",
                        [
                            path, device.description, files["photo"]!, files["depth"]!, files["assertion"]!,
                            files["metadata"]!,
                        ],
                        environment: ["REDIS_CLI": "redis-cli \(stack.redis.cliAddress.joined(separator: " "))"]
                    )
                } else {
                    try await LeashedProcess.run(
                        "python3",
                        [
                            path, "--redis", stack.redis.url, "--device", device.description, "--photo",
                            files["photo"]!,
                            "--depth", files["depth"]!, "--assertion", files["assertion"]!, "--metadata",
                            files["metadata"]!,
                        ]
                    )
                }
            #expect(result.exitCode == 0, "\(result.output)")
            let words = result.output.split { $0.isWhitespace }.map(String.init)
            #expect(words.first == "accepted")
            let id = try #require(words.last.flatMap { CaptureID($0) })
            try await drain(queue)
            #expect(try await store.results(of: [id])[id]?.verdict == .verified)
        }
        worker.signal(SIGTERM)
        #expect(try await worker.exitCode() == 0)
    }
}
