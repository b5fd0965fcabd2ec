import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

/// One form of an assertion that an app sends.
struct AssertionForm: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]

    private static let cbor: [UInt8] = [0xA2, 0x00] + (1...100).map { UInt8($0) }

    private init(_ name: String, _ bytes: [UInt8]) {
        (testDescription, self.bytes) = (name, bytes)
    }

    private init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    static var all: [AssertionForm] {
        let text = Data(cbor).base64EncodedString()
        let wrapped = Data(cbor).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        let url = Data([0xA2, 0xFB, 0xEF, 0xFF]).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
        return [
            AssertionForm("CBOR", cbor), AssertionForm("CBOR with a line end", cbor + [0x0D, 0x0A]),
            AssertionForm("base64", text), AssertionForm("base64 with line ends", text + "\r\n\n"),
            AssertionForm("lines of base64", wrapped), AssertionForm("base64 without padding", "ogE"),
            AssertionForm("base64 with a blank", "o gE="), AssertionForm("base64 with a zero byte", "og\0E="),
            AssertionForm("base64 with one more of padding", "ogE=="),
            AssertionForm("base64 with much more of padding", "ogE====="),
            AssertionForm("whole base64 with padding", "ogEB="), AssertionForm("padding", "===="),
            AssertionForm("base64 with bits behind the last byte", "ogF="),
            AssertionForm("base64url", url), AssertionForm("a line end", "\n"), AssertionForm("nothing", ""),
            AssertionForm("JSON", "{}"), AssertionForm("a list in CBOR", [0x82, 0x01, 0x02]),
        ]
    }
}

/// A gateway that takes what ours refuses tells the app 202, and the worker then rejects a genuine capture.
@Suite("Assertions that the examples of the hand-off take", .timeLimit(.minutes(2)))
struct EnqueueExampleAssertionTests {
    @Test(arguments: EnqueueExample.allCases)
    func `the examples of the hand-off take the assertions that our gateway takes, decoded to the same bytes`(
        example: EnqueueExample
    ) async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 29)
            let queue = RedisCaptureQueue(client: fixture.client, consumer: "examples", logger: fixture.logger)
            for form in AssertionForm.all {
                let files = try ExampleFiles(
                    photo: [1], depth: [2], assertion: form.bytes, metadata: Array("{}".utf8))
                defer { files.remove() }
                let answer = try await example.handOff(files, of: maker.device(), to: fixture.server)
                if let taken = AssertionText.decode(form.bytes) {
                    #expect(answer.exitCode == 0 && answer.words.first == "accepted", "\(form): \(answer)")
                    let lease = try #require(
                        try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
                    #expect(lease.jobs.map { $0.submission?.assertion } == [taken], "\(form)")
                    _ = try await queue.settle([lease.settling()])
                } else {
                    #expect(answer.exitCode == 65, "\(form): \(answer)")
                    let words = "\(example.rawValue): INVALID assertion: neither CBOR nor base64"
                    #expect(answer.lines == [words], "\(form)")
                }
            }
            #expect(try await queue.load().captures == 0)
        }
    }
}
