import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Gateways in other languages hand captures off", .timeLimit(.minutes(5)))
struct HandOffTests {
    /// Hands a capture off with one of the examples; returns the first and the last word of its answer.
    private func handOff(
        _ signed: SignedCapture, of device: DeviceID, with example: EnqueueExample, to stack: Stack,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (outcome: String?, id: CaptureID) {
        let files = try ExampleFiles(
            photo: signed.capture.photo, depth: signed.capture.depthMap, assertion: signed.assertion,
            metadata: signed.capture.metadata)
        defer { files.remove() }
        let answer = try await example.handOff(files, of: device, to: stack.redis, binding: signed.binding)
        #expect(answer.exitCode == 0, "\(answer)", sourceLocation: sourceLocation)
        return (answer.words.first, try #require(answer.capture, sourceLocation: sourceLocation))
    }

    @Test(arguments: EnqueueExample.allCases, Binding.allCases)
    func `what plain tools hand off is verified`(example: EnqueueExample, binding: Binding) async throws {
        let stack = try await Stack.start()
        let worker = try stack.worker()
        try await stack.withBackstage { queue, _, store in
            let crowd = try await Crowd.register(1, in: store)
            let (device, phone) = crowd.devices[0]
            let capture = try SyntheticCapture(
                seed: 21, photoBytes: 40_000, capturedAt: Timestamp(Date()), binding: binding)
            let signed = try CaptureSigner(device: phone, binding: binding).sign(capture)
            let answer = try await handOff(signed, of: device, with: example, to: stack)
            #expect(answer.outcome == "accepted")
            try await drain(queue)
            #expect(try await store.results(of: [answer.id])[answer.id]?.verdict == .verified)
        }
        try await worker.expectStop()
    }

    @Test(.enabled(if: Repository.program("jq") != nil, "jq is there"))
    func `README's block hands a simulated device's bundle off twice, as one capture`() async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let folder = try TemporaryDirectory.make("readme")
        defer { try? FileManager.default.removeItem(at: folder) }
        // As a checkout in which `make up` has started a stack.
        let up = folder.appending(path: ".local/up")
        try FileManager.default.createDirectory(at: up, withIntermediateDirectories: true)
        for (link, target) in [
            (up.appending(path: "ca"), stack.directory),
            (folder.appending(path: "Config"), Repository.directory.appending(path: "Config")),
        ] { try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target) }
        let programs = URL(fileURLWithPath: Programs.path("capturectl")).deletingLastPathComponent().path
        let environment = """
            export GATEWAY='\(client.configuration.url)' CAPTURE_APP_IDS='\(Stack.appID)'
            export CAPTURE_REDIS_URL='\(stack.redis.url)' CAPTURE_TIMEOUT=600 PATH='\(programs)':"$PATH"

            """
        try Data(environment.utf8).write(to: up.appending(path: "environment"))
        let text = try Repository.text("README.md")
        let section = try #require(text.range(of: "\n## Hand-off without our gateway\n")).upperBound
        let opening = try #require(text[section...].range(of: "```sh\n")).upperBound
        let closing = try #require(text[opening...].range(of: "\n```")).lowerBound
        let block = String(text[opening..<closing])
        var captures: Set<CaptureID> = []
        for _ in 0..<2 {
            let run = try await LeashedProcess.run("bash", ["-euc", block], directory: folder)
            #expect(run.exitCode == 0, "\(run.output)")
            let told = run.output.split(separator: "\n").filter { $0.hasPrefix("capture ") }
            captures.insert(
                try #require(told.first.flatMap { CaptureID(String($0.dropFirst(8))) }, "\(run.output)"))
            #expect(told.count == 2 && Set(told).count == 1, "\(run.output)")
        }
        #expect(captures.count == 2, "it works as often as it is run")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == [".local", "Config"], "what it leaves is the stack's")
        // Not before: a capture that is settled between the two has the second one try again.
        let worker = try stack.worker()
        for capture in captures {
            let status = try await client.settled(capture, within: .seconds(240)) { _ in .token(Stack.token) }
            #expect(status.state == .verified)
        }
        for process in [gateway, worker] { process.signal(SIGTERM) }
        for process in [gateway, worker] { #expect(try await process.exitCode() == 0) }
    }

    /// Both work the bundle's digest out as it is published.
    @Test(arguments: EnqueueExample.allCases)
    func `the same bundle is one capture, whoever hands it off first`(example: EnqueueExample) async throws {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let (first, second) = (try phone.shoot(seed: 1), try phone.shoot(seed: 2))
        try await stack.withBackstage { queue, _, _ in
            // The functions are there, and uploads are taken.
            try await eventually { try await queue.restorations().allSatisfy(\.isRestored) }
            let plain = try await handOff(first, of: phone.id, with: example, to: stack)
            #expect(plain.outcome == "accepted")
            #expect(try await phone.upload(first) == plain.id)
            #expect(try await queue.load().captures == 1)
            let rows = try await stack.psql("SELECT capture_id FROM intake WHERE closed_at IS NULL")
            #expect(rows == "\(plain.id)", "the upload's row is the capture's")

            let uploaded = try await phone.upload(second)
            let repeated = try await handOff(second, of: phone.id, with: example, to: stack)
            #expect(repeated.outcome == "duplicate" && repeated.id == uploaded)
            #expect(try await queue.load().captures == 2)
            let worker = try stack.worker()
            try await Aftermath(stack: stack, verdicts: [plain.id: .verified, uploaded: .verified]).check()
            for process in [gateway, worker] { process.signal(SIGTERM) }
            for process in [gateway, worker] { #expect(try await process.exitCode() == 0) }
        }
    }
}
