import AppleDeviceCheck
import CaptureModel
import CaptureProcessing
import CaptureStore
import CoreMetrics
import Crypto
import Observability
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `An exchange of a receipt that brings nothing` {
    private func withScene(_ body: (ReceiptScene, PostgresClient) async throws -> Void) async throws {
        try await withPostgresStore { store, client async throws in
            try await body(ReceiptScene(store: store), client)
        }
    }

    /// A device that Apple counts many keys on would pass unwarned.
    @Test(arguments: [
        ReceiptAnswer.notYet, .unknown, .refused, .unauthorized, .overloaded(status: 503, retryAfter: nil),
        .unreachable("away"), .renewed([1]),
    ])
    func `an exchange of a receipt that brings nothing leaves the device its risk, and since when it is known`(
        answer: ReceiptAnswer
    ) async throws {
        try await withScene { scene, client async throws in
            let device = try await scene.register()
            #expect(try await scene.renewer(asking: scene.renewing(riskMetric: 7)).renewNext() == .renewed)
            let known = try #require(try await scene.store.devices([device.id])[device.id]?.risk)
            #expect(known.metric == 7)
            scene.clock.advance(by: .seconds(90_000))
            try await scene.hurry(client)
            let renewer = try scene.renewer { _ in answer }
            let registry = PrometheusRegistry()
            let ended = try await withMetricsFactory(registry) { try await renewer.renewNext() }
            let outcome = try #require(ended)
            #expect(outcome != .renewed && outcome != .ended)
            let told = try StrictExposition(registry.render())
            #expect(told.value("capture_receipt_exchanges_total", ["outcome": outcome.rawValue]) == "1")
            #expect(try await scene.store.devices([device.id])[device.id]?.risk == known)
        }
    }

    /// A first receipt names its attestation, which those that Apple renews do not.
    @Test func `an exchange of a receipt that brings nothing leaves a first receipt held to its own attestation`()
        async throws
    {
        try await withScene { scene, client async throws in
            let device = try await scene.register()
            let hash = Array(SHA256.hash(data: device.keyID.bytes))
            func held(_ token: Int64) async throws -> [UInt8]? {
                try await scene.hurry(client)
                let claim = try await scene.store.claimReceipt(lease: .seconds(60), token: token)
                try await scene.hurry(client)
                return try #require(claim).clientDataHash
            }
            #expect(try await scene.renewer { _ in .notYet }.renewNext() == .notYet)
            #expect(try await held(1) == hash)
            #expect(try await scene.renewer(asking: scene.renewing(riskMetric: 7)).renewNext() == .renewed)
            #expect(try await held(2) == nil)
        }
    }
}
