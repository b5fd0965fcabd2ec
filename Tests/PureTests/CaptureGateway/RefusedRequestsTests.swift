import CaptureModel
import DeviceSimulator
import Logging
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

/// Keeps lines with all that is known of them: what the event says and what its logger does.
private struct RequestLog: LogHandler {
    final class Lines: Sendable {
        private let kept = Mutex<[(text: String, metadata: Logger.Metadata)]>([])

        func add(_ text: String, _ metadata: Logger.Metadata) { kept.withLock { $0.append((text, metadata)) } }

        /// What the lines about refusals say of themselves and their requests, as texts.
        var refusals: [[String: String]] {
            let keys = ["request_id", "code", "reason", "field", "operation", "device_id"]
            return kept.withLock { lines in
                lines.filter { $0.text == "refused" }.map { line in
                    line.metadata.filter { keys.contains($0.key) }.mapValues { "\($0)" }
                }
            }
        }
    }

    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ lines: Lines) {
        self.lines = lines
    }

    func log(event: LogEvent) {
        lines.add("\(event.message)", metadata.merging(event.metadata ?? [:]) { $1 })
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}

@Suite("Requests that are refused, in the log at info", .timeLimit(.minutes(1)))
struct RefusedRequestsTests {
    private let lines = RequestLog.Lines()

    private var logger: Logger {
        let lines = lines
        return Logger(label: "test") { _ in RequestLog(lines) }
    }

    @Test func `a device that is not registered leaves the reason under its request's id`() async throws {
        var fixture = try GatewayFixture()
        fixture.configuration.trust.registrationPolicy = .reject
        fixture.dependencies.logger = logger
        try await fixture.run { [fixture] gateway in
            let form = try fixture.form(fixture.phone, await gateway.challenge(), flaw: .counterNotZero)
            let answer = try await gateway.post(
                "/api/v1/devices/register", form, headers: ["X-Request-Id": "lost-phone-1"])
            #expect(answer.code == "ATTESTATION_FAILED")
        }
        #expect(
            lines.refusals == [
                [
                    "request_id": "lost-phone-1", "code": "ATTESTATION_FAILED", "reason": "COUNTER_NOT_ZERO",
                    "operation": "registerDevice",
                ]
            ])
    }

    @Test func `an upload whose signature is not good leaves device and reason, and one that is malformed nothing`()
        async throws
    {
        try await CapturesGateway.run(logger: logger) {
            $0.uploads.precheck = .signature
        } _: { gateway in
            var parts = try gateway.capture().parts
            let malformed = try await gateway.upload(Array(parts.dropLast()))
            #expect(malformed.status == 400)
            parts[3].bytes[0] ^= 1
            let altered = try await gateway.upload(parts, headers: [("X-Request-Id", "altered-1")])
            #expect(altered.code == "SIGNATURE_INVALID")
            #expect(
                lines.refusals == [
                    [
                        "request_id": "altered-1", "code": "SIGNATURE_INVALID", "reason": "SIGNATURE_INVALID",
                        "field": "assertion", "operation": "uploadCapture", "device_id": "\(gateway.backend.device)",
                    ]
                ])
        }
    }

    @Test func `nobody fills the disk with refusals, nor hides those of another kind`() {
        let time = ManualTime()
        let linesMax = 60
        let refused = RefusedRequests(linesMax: linesMax) { time.monotonic }
        let unknown = APIError(.deviceNotFound, "no such device is registered")
        for _ in 0..<3 * linesMax { refused.note(unknown, of: .uploadCapture, device: nil, logger) }
        #expect(lines.refusals.count == linesMax)
        refused.note(APIError(.deviceRevoked, "the device was revoked"), of: .uploadCapture, device: nil, logger)
        #expect(lines.refusals.last?["code"] == "DEVICE_REVOKED")
        time.advance(by: RefusedRequests.span)
        refused.note(unknown, of: .uploadCapture, device: nil, logger)
        #expect(lines.refusals.last?["code"] == "DEVICE_NOT_FOUND")
        #expect(lines.refusals.count == linesMax + 2)
    }

    @Test func `there are as many lines a minute as the configuration says`() async throws {
        var fixture = try GatewayFixture()
        fixture.configuration.trust.registrationPolicy = .reject
        fixture.configuration.requests.refusedLinesMax = 1
        fixture.dependencies.logger = logger
        try await fixture.run { [fixture] gateway in
            for _ in 0..<2 {
                let form = try fixture.form(fixture.phone, await gateway.challenge(), flaw: .counterNotZero)
                let answer = try await gateway.post("/api/v1/devices/register", form)
                #expect(answer.code == "ATTESTATION_FAILED")
            }
        }
        #expect(lines.refusals.count == 1)
    }

    @Test(arguments: [("device_token", "device_token"), ("a\"}\n{\"level\":\"critical", nil)] as [(String, String?)])
    func `a field that a client has named is repeated only where it is harmless`(field: String, told: String?) {
        let refused = RefusedRequests(linesMax: 1)
        refused.note(.invalid(field, "is not known"), of: .registerDevice, device: nil, logger)
        #expect(lines.refusals.count == 1 && lines.refusals.first?["field"] == told)
    }
}
