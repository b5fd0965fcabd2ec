import AppAttest
import CaptureModel
import CaptureQueue
import DeviceSimulator
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Uploads of keys that are not taken any more", .timeLimit(.minutes(1)))
struct KeyNotTakenTests {
    /// What an operator took out of the configuration since the phone was registered.
    struct Change: Sendable, CustomTestStringConvertible {
        let reason: Reason
        let configure: @Sendable (inout GatewayConfiguration) -> Void
        var testDescription: String { reason.rawValue }

        static let all = [
            Change(reason: .trustRootNotAllowed) { $0.trust.roots = [.appleRootG3] },
            Change(reason: .appNotAllowed) {
                $0.trust.appIDs = [AppID("ABCDE12345.com.example.other")].compactMap { $0 }
            },
            Change(reason: .environmentMismatch) { $0.trust.environments = [.development] },
        ]
    }

    @Test(arguments: Change.all, PrecheckLevel.allCases)
    func `uploads of keys that are not taken any more are refused at the gateway, however much is looked at there`(
        change: Change, precheck: PrecheckLevel
    ) async throws {
        try await CapturesGateway.run {
            change.configure(&$0)
            $0.uploads.precheck = precheck
        } _: { gateway in
            let answer = try await gateway.upload(gateway.capture())
            #expect(answer.status == 401 && answer.code == "SIGNATURE_INVALID")
            #expect(answer.reason == change.reason.rawValue)
            #expect(try await gateway.backend.queue.load().captures == 0)
        }
    }

    @Test func `uploads of keys that are not taken any more are not those of devices that nobody vouched for`()
        async throws
    {
        try await CapturesGateway.run {
            $0.trust.roots = [.appleRootG3]
            $0.trust.environments = [.development]
        } _: { gateway in
            let other = try await gateway.otherDevice(level: .unverified)
            let capture = try SyntheticCapture(
                seed: 3, photoBytes: 60_000, capturedAt: gateway.backend.time.source())
            let signed = try CaptureSigner(device: other.phone).sign(capture)
            #expect(try await gateway.upload(signed.parts, device: "\(other.id)").status == 202)
        }
    }
}
