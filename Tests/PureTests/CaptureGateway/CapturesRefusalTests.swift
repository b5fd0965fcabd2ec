import CaptureModel
import CaptureQueue
import CaptureStore
import CoreMetrics
import DeviceSimulator
import NIOHTTP1
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

/// One thing wrong with an upload, and the answer to it.
struct Refusal: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let code: String
    var field: String?
    var reason: String?
    let change: @Sendable (inout [FormPart]) -> Void

    var testDescription: String { name }

    /// What the upload counts as.
    var outcome: CaptureMetrics.UploadOutcome {
        switch code {
        case "PAYLOAD_TOO_LARGE": .tooLarge
        case "SIGNATURE_INVALID": .unauthorized
        default: .invalid
        }
    }

    /// What the upload adds to the refused signatures.
    var signatureFailures: [String: String] {
        guard let reason, field == "assertion" else { return [:] }
        return [reason: "1"]
    }

    static let photo = 2
    static let all: [Refusal] = [
        Refusal(name: "unknown part", status: 400, code: "VALIDATION_ERROR", field: "extra") {
            $0.append(FormPart("extra", nil, [1]))
        },
        Refusal(name: "part twice", status: 400, code: "VALIDATION_ERROR", field: "metadata") { $0.append($0[0]) },
        Refusal(name: "no photo", status: 400, code: "VALIDATION_ERROR", field: "photo") { $0.remove(at: photo) },
        Refusal(name: "no depth map", status: 400, code: "VALIDATION_ERROR", field: "depth_map") { $0.removeLast() },
        Refusal(name: "no metadata", status: 400, code: "VALIDATION_ERROR", field: "metadata") { $0.removeFirst() },
        Refusal(name: "empty photo", status: 400, code: "VALIDATION_ERROR", field: "photo") { $0[photo].bytes = [] },
        Refusal(name: "photo of another type", status: 415, code: "UNSUPPORTED_MEDIA_TYPE", field: "photo") {
            $0[photo].contentType = "image/png"
        },
        Refusal(name: "photo without type", status: 415, code: "UNSUPPORTED_MEDIA_TYPE", field: "photo") {
            $0[photo].contentType = nil
        },
        Refusal(
            name: "photo that is no JPEG", status: 400, code: "VALIDATION_ERROR", field: "photo",
            reason: "PHOTO_MALFORMED"
        ) { $0[photo].bytes[0] = 0 },
        Refusal(name: "photo too large", status: 413, code: "PAYLOAD_TOO_LARGE", field: "photo") {
            $0[photo].bytes += Array(repeating: 0, count: 50_000)
        },
        Refusal(name: "depth map too large", status: 413, code: "PAYLOAD_TOO_LARGE", field: "depth_map") {
            $0[3].bytes += Array(repeating: 0, count: 50_000)
        },
        Refusal(name: "assertion too large", status: 413, code: "PAYLOAD_TOO_LARGE", field: "assertion") {
            $0[1].bytes = Array(repeating: 0xA0, count: 9000)
        },
        Refusal(name: "metadata too large", status: 413, code: "PAYLOAD_TOO_LARGE", field: "metadata") {
            $0[0].bytes += Array(repeating: 0x20, count: 16 << 10)
        },
        Refusal(
            name: "assertion that is neither", status: 400, code: "VALIDATION_ERROR", field: "assertion",
            reason: "ASSERTION_MALFORMED"
        ) { $0[1].bytes = Array("%%%".utf8) },
        Refusal(
            name: "truncated assertion", status: 400, code: "VALIDATION_ERROR", field: "assertion",
            reason: "ASSERTION_MALFORMED"
        ) { $0[1].bytes.removeLast() },
        Refusal(
            name: "metadata without a field", status: 400, code: "VALIDATION_ERROR", field: "metadata.captured_at",
            reason: "METADATA_MALFORMED"
        ) { $0[0].bytes = Array("{}".utf8) },
        Refusal(
            name: "metadata with a member twice", status: 400, code: "VALIDATION_ERROR", field: "metadata",
            reason: "METADATA_MALFORMED"
        ) { $0[0].bytes = Array(#"{"captured_at":"1999-01-01T00:00:00Z","#.utf8) + $0[0].bytes.dropFirst() },
        Refusal(
            name: "altered depth map", status: 401, code: "SIGNATURE_INVALID", field: "assertion",
            reason: "SIGNATURE_INVALID"
        ) { $0[3].bytes[0] ^= 1 },
    ]
}

@Suite(.timeLimit(.minutes(1))) struct `Uploads that are refused` {
    @Test(arguments: Refusal.all)
    func `each fault has its answer, is counted, and leaves nothing behind`(_ refusal: Refusal) async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await CapturesGateway.run {
                $0.uploads.precheck = .signature
                $0.uploads.photoBytesMax = 70_000
                $0.uploads.depthBytesMax = 200_000
            } _: { gateway in
                var parts = try gateway.capture().parts
                refusal.change(&parts)
                let answer = try await gateway.upload(parts)
                #expect(answer.status == refusal.status)
                #expect(answer.code == refusal.code)
                #expect(answer.field == refusal.field)
                if let reason = refusal.reason { #expect(answer.reason == reason) }
                #expect(gateway.backend.bundles.count == 0)
                #expect(try await gateway.backend.queue.load().captures == 0)
            }
        }
        let told = try StrictExposition(registry.render())
        for outcome in CaptureMetrics.UploadOutcome.allCases {
            let count = told.value("capture_uploads_total", ["outcome": outcome.rawValue])
            #expect(count == (outcome == refusal.outcome ? "1" : "0"), "\(outcome)")
        }
        #expect(try registry.signatureFailures() == refusal.signatureFailures)
    }

    @Test(
        arguments: [
            (.queueFull, .queueFull), (.unavailable, .unavailable), (.internalError, .error),
            (.requestTimeout, .aborted), (.payloadTooLarge, .tooLarge), (.deviceRevoked, .unauthorized),
            (.deviceNotFound, .unauthorized), (.validationError, .invalid),
        ] as [(APIError.Code, CaptureMetrics.UploadOutcome)])
    func `a refusal counts as what it is`(code: APIError.Code, outcome: CaptureMetrics.UploadOutcome) {
        #expect(CaptureMetrics.UploadOutcome(code) == outcome)
    }

    @Test func `signatures of another app or key are refused at the gateway`() async throws {
        try await CapturesGateway.run {
            $0.uploads.precheck = .signature
        } _: { gateway in
            let otherApp = try await gateway.upload(gateway.capture(flaw: .otherAppID))
            #expect(otherApp.status == 401)
            #expect(otherApp.reason == "RP_ID_MISMATCH")
            let otherKey = try await gateway.upload(gateway.capture(flaw: .keyOfOtherDevice))
            #expect(otherKey.code == "SIGNATURE_INVALID")
            #expect(otherKey.headers.first(name: "WWW-Authenticate") == "Bearer")
            #expect(try await gateway.upload(gateway.capture()).status == 202)
        }
    }

    @Test func `structure alone leaves signature and counter to the worker`() async throws {
        try await CapturesGateway.run { gateway in
            let otherKey = try await gateway.upload(gateway.capture(flaw: .keyOfOtherDevice))
            #expect(otherKey.status == 202)
            let otherApp = try await gateway.upload(gateway.capture(flaw: .otherAppID))
            #expect(otherApp.status == 401)
        }
    }

    @Test func `where the gateway checks nothing, the app is left to the worker, too`() async throws {
        try await CapturesGateway.run {
            $0.uploads.precheck = .none
        } _: { gateway in
            let otherApp = try await gateway.upload(gateway.capture(flaw: .otherAppID))
            #expect(otherApp.status == 202)
        }
    }

    @Test(arguments: [
        ("[]", "metadata", "must be a JSON object"), ("{", "metadata", "must be JSON (RFC 8259) in UTF-8"),
        ("{}", "metadata.captured_at", "is missing"),
    ])
    func `what is wrong with the metadata is said once, and where`(
        text: String, field: String, message: String
    ) async throws {
        try await CapturesGateway.run { gateway in
            var parts = try gateway.capture().parts
            parts[0].bytes = Array(text.utf8)
            let answer = try await gateway.upload(parts)
            #expect(answer.field == field && answer.message == message && answer.reason == "METADATA_MALFORMED")
        }
    }

    @Test func `a body that would have to be unpacked is refused, whatever is in it`() async throws {
        try await CapturesGateway.run { gateway in
            let parts = try gateway.capture().parts
            for coding in ["gzip", "identity, gzip", "br"] {
                let upload = try await gateway.upload(parts, headers: [("Content-Encoding", coding)])
                let form = try await gateway.send(
                    .POST, "/api/v1/devices/register", headers: [("Content-Encoding", coding)], body: [0x7B, 0x7D])
                for answer in [upload, form] {
                    #expect(answer.status == 415 && answer.field == "Content-Encoding", "\(coding)")
                }
            }
            #expect(try await gateway.upload(parts, headers: [("Content-Encoding", "Identity")]).status == 202)
        }
    }

    @Test func `a binding that is not allowed is refused`() async throws {
        try await CapturesGateway.run {
            $0.uploads.bindings = [.framedV2]
        } _: { gateway in
            let answer = try await gateway.upload(gateway.capture(binding: .concatV1))
            #expect(answer.status == 400)
            #expect(answer.reason == "BINDING_NOT_ALLOWED" && answer.field == "metadata.binding")
            #expect(try await gateway.upload(gateway.capture(binding: .framedV2)).status == 202)
        }
    }

    @Test func `a device must be known, good and attested`() async throws {
        try await CapturesGateway.run { gateway in
            let parts = try gateway.capture().parts
            let malformed = try await gateway.upload(parts, device: "x")
            #expect(malformed.status == 400)
            #expect(malformed.field == "X-Device-Id")
            let unknown = try await gateway.upload(parts, device: "00000000-0000-4000-8000-000000000000")
            #expect(unknown.status == 401)
            #expect(unknown.code == "DEVICE_NOT_FOUND")
            let unread = try await gateway.otherDevice(level: .unverified, isReadable: false)
            let keyless = try await gateway.upload(parts, device: "\(unread.id)")
            #expect(keyless.status == 400)
            #expect(keyless.field == "X-Device-Id")
            _ = try await gateway.backend.store.revoke(
                gateway.backend.device, at: gateway.backend.time.source(), reason: "lost", actor: "test"
            )
            let revoked = try await gateway.upload(parts)
            #expect(revoked.status == 403)
            #expect(revoked.code == "DEVICE_REVOKED")
        }
    }

    @Test(arguments: RegistrationPolicy.allCases)
    func `an unverified device of one of the apps may upload, also where none is registered any more`(
        policy: RegistrationPolicy
    ) async throws {
        try await CapturesGateway.run {
            $0.uploads.precheck = .signature
            $0.trust.registrationPolicy = policy
        } _: { gateway in
            let other = try await gateway.otherDevice(level: .unverified)
            let capture = try SyntheticCapture(
                seed: 3, photoBytes: 60_000, capturedAt: gateway.backend.time.source()
            )
            let signed = try CaptureSigner(device: other.phone).sign(capture)
            let answer = try await gateway.upload(signed.parts, device: "\(other.id)")
            #expect(answer.status == 202)
            // Its signed requests are answered as well.
            let id = try #require(answer.captureID)
            let status = try await gateway.status(id, "", gateway.credentials(other.phone, other.id))
            #expect(status.status == 200 && status.data["status"] == .string("queued"))
        }
    }
}
