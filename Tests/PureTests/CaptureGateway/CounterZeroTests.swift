import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import TestSupport
import Testing

@testable import CaptureGateway

/// Keys that count from 0, where App Attest's first assertion has 1.
@Suite(.timeLimit(.minutes(1))) struct `A counter of 0` {
    @Test(arguments: [PrecheckLevel.structure, .signature])
    func `a capture with counter 0 is refused in words about it, and the key goes on with 1`(
        _ precheck: PrecheckLevel
    ) async throws {
        try await CapturesGateway.run {
            $0.uploads.precheck = precheck
        } _: { gateway in
            let refused = try await gateway.upload(gateway.capture(counter: .exactly(0)))
            #expect(refused.status == 400 && refused.code == "VALIDATION_ERROR")
            #expect(refused.field == "assertion" && refused.reason == "ASSERTION_MALFORMED")
            #expect(refused.message == "the assertion's counter is 0; the first counter of a key is 1 or more")
            #expect(try await gateway.backend.queue.load().captures == 0)
            #expect(gateway.backend.bundles.count == 0)
            let taken = try await gateway.upload(gateway.capture(seed: 2, counter: .exactly(1)))
            #expect(taken.status == 202)
        }
    }

    @Test func `a request with counter 0 is refused in words about it, and the key goes on with 1`() async throws {
        let scene = try await AuthenticationScene()
        let signed = try scene.phoneHeaders(counter: .exactly(0))
        let error = await #expect(throws: APIError.self) {
            _ = try await scene.authenticator.device(signing: signed, body: [])
        }
        #expect(error?.code == .replayDetected)
        #expect(error?.message == "the counter of this request is 0; the first counter of a key is 1 or more")
        #expect(try await scene.fixture.store.record(of: scene.phoneID)?.requestCounter == 0)
        #expect(await scene.code(try scene.phoneHeaders(counter: .exactly(1))) == nil)
    }
}
