import CaptureModel
import CoreMetrics
import Crypto
import DeviceSimulator
import HTTPTypes
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

/// `capture_signature_failures_total`, which an alert of the gateways stands on.
@Suite(.timeLimit(.minutes(1))) struct `Refused signatures at a gateway` {
    /// A request that a device has signed, or is to have signed.
    private struct Signed {
        let headers: HTTPFields
        var body: [UInt8] = []
    }

    /// What one request is refused with, and what that adds to the count.
    private func refusal(
        of request: Signed, in scene: AuthenticationScene
    ) async throws -> (code: APIError.Code?, counted: [String: String]) {
        let registry = PrometheusRegistry()
        let code = await withMetricsFactory(registry) { await scene.code(request.headers, body: request.body) }
        return (code, try registry.signatureFailures())
    }

    @Test func `a refused signature of a request counts by its reason`() async throws {
        let scene = try await AuthenticationScene()
        var (text, none) = (try scene.phoneHeaders(), try scene.keyHeaders())
        text[.deviceSignature] = "%"
        none[.deviceSignature] = nil
        let refused: [(Signed, Reason)] = [
            (Signed(headers: text), .assertionMalformed), (Signed(headers: none), .assertionMalformed),
            (Signed(headers: try scene.phoneHeaders(flaw: .truncated)), .assertionMalformed),
            (Signed(headers: try scene.phoneHeaders(flaw: .otherAppID)), .rpIDMismatch),
            (Signed(headers: try scene.phoneHeaders(flaw: .keyOfOtherDevice)), .signatureInvalid),
            (Signed(headers: try scene.phoneHeaders(), body: [1]), .signatureInvalid),
            (Signed(headers: try scene.keyHeaders(), body: [1]), .signatureInvalid),
        ]
        for (request, reason) in refused {
            let told = try await refusal(of: request, in: scene)
            #expect(told.code == .signatureInvalid)
            #expect(told.counted == [reason.rawValue: "1"])
        }
    }

    @Test func `a request that is made again counts as a counter used twice, with a counter and without`() async throws
    {
        let scene = try await AuthenticationScene()
        for request in [Signed(headers: try scene.phoneHeaders()), Signed(headers: try scene.keyHeaders())] {
            let first = try await refusal(of: request, in: scene)
            #expect(first.code == nil && first.counted == [:])
            let again = try await refusal(of: request, in: scene)
            #expect(again.code == .replayDetected && again.counted == ["COUNTER_REPLAY": "1"])
        }
        let zero = try await refusal(
            of: Signed(headers: try scene.phoneHeaders(counter: .exactly(0))), in: scene)
        #expect(zero.code == .replayDetected && zero.counted == ["COUNTER_REPLAY": "1"])
    }

    @Test func `what is refused before a signature is looked at counts as none`() async throws {
        let scene = try await AuthenticationScene()
        var stranger = try scene.phoneHeaders()
        stranger[.deviceID] = "01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"
        let unknown = try await refusal(of: Signed(headers: stranger), in: scene)
        #expect(unknown.code == .deviceNotFound && unknown.counted == [:])
        let late = try await refusal(of: Signed(headers: try scene.phoneHeaders(at: .seconds(-301))), in: scene)
        #expect(late.code == .timestampExpired && late.counted == [:])
    }

    @Test func `a refused signature of an upload counts by its reason`() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) { () async throws in
            try await CapturesGateway.run {
                $0.uploads.precheck = .signature
            } _: { gateway throws in
                #expect(try await gateway.upload(gateway.capture()).status == 202)
                #expect(try registry.signatureFailures() == [:])
                #expect(try await gateway.upload(gateway.capture(flaw: .otherAppID)).status == 401)
                #expect(try registry.signatureFailures() == ["RP_ID_MISMATCH": "1"])
                #expect(try await gateway.upload(gateway.capture(flaw: .keyOfOtherDevice)).status == 401)
                #expect(try registry.signatureFailures() == ["RP_ID_MISMATCH": "1", "SIGNATURE_INVALID": "1"])
                #expect(try await gateway.upload(gateway.capture(counter: .exactly(0))).status == 400)
            }
        }
        let counted = ["RP_ID_MISMATCH": "1", "SIGNATURE_INVALID": "1", "ASSERTION_MALFORMED": "1"]
        #expect(try registry.signatureFailures() == counted)
    }

    @Test func `a plain key that did not sign its registration counts`() async throws {
        let fixture = try GatewayFixture()
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) { () async throws in
            try await fixture.run { gateway in
                let key = Curve25519.Signing.PrivateKey()
                let form = try fixture.form(key, await gateway.challenge(), signing: [1])
                let refused = try await gateway.post("/api/v1/devices/register", form)
                #expect(refused.status == 401 && refused.code == "SIGNATURE_INVALID")
                #expect(try registry.signatureFailures() == ["SIGNATURE_INVALID": "1"])
                _ = try await fixture.register(key, gateway)
            }
        }
        #expect(try registry.signatureFailures() == ["SIGNATURE_INVALID": "1"])
    }
}

extension PrometheusRegistry {
    /// How many refused signatures are counted, by reason; reasons without any are left out.
    func signatureFailures() throws -> [String: String] {
        let counted = try StrictExposition(render()).samples.filter {
            $0.name == "capture_signature_failures_total" && $0.value != "0"
        }
        return Dictionary(counted.map { ($0.labels["reason"] ?? "", $0.value) }) { first, _ in first }
    }
}
