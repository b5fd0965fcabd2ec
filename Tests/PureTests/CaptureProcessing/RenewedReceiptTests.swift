import AppAttest
import AppleDeviceCheck
import CaptureModel
import CaptureProcessing
import CaptureStore
import DeviceSimulator
import Foundation
import TestSupport
import Testing

@Suite("Receipts that a renewer takes, and those that it does not", .timeLimit(.minutes(1)))
struct RenewedReceiptTests {
    private let scene: ReceiptRounds

    init() throws { scene = try ReceiptRounds() }

    @Test func `a renewer says once for each reason that new receipts are not taken, and whether it may be our clock`()
        async throws
    {
        let held = try scene.fixture.issuer.sign(scene.fixture.content)
        let date = ReceiptFixture.moment
        let stale = try scene.fixture.issuer.renew(held, riskMetric: 1, at: date.addingTimeInterval(-7200))
        let good = try scene.fixture.issuer.renew(held, riskMetric: 1, at: date)
        let (log, _, _) = try await scene.run([
            .due(.renewed(stale)), .due(.renewed(stale)), .due(.renewed([1])), .due(.renewed(good)),
        ])
        #expect(
            log.lines == [
                "error a renewed receipt is not taken", "error a renewed receipt is not taken",
                "notice renewed receipts are taken again",
            ])
        #expect(log.values(of: "reason") == ["RECEIPT_STALE", "RECEIPT_MALFORMED"])
        #expect(log.values(of: "fault").map { $0.contains("clock") } == [true, false])
    }

    /// Each has Apple's signature, and all but the one named is that of the receipt that was sent.
    @Test func `a renewer takes no new receipt of another key, app, environment, token or type`() async throws {
        let date = ReceiptFixture.moment
        func renewed(_ change: (inout ReceiptContent) -> Void) throws -> ReceiptRound {
            var content = scene.fixture.content
            change(&content)
            let issuer = scene.fixture.issuer
            return .due(.renewed(try issuer.renew(issuer.sign(content), riskMetric: 1, at: date)))
        }
        let other = try SimulatedDevice(appID: ReceiptFixture.app.text).receiptContent(
            clientDataHash: ReceiptFixture.hash, authority: scene.fixture.authority, at: date)
        let rounds: [ReceiptRound] = try [
            renewed { $0[3] = other[3] }, renewed { $0[2] = Array("TEAM123456.org.example.other".utf8) },
            renewed { $0[7] = Array("sandbox".utf8) }, renewed { $0[5] = other[5] },
            .due(.renewed(scene.fixture.issuer.sign(scene.fixture.content))), renewed { _ in },
        ]
        let (log, _, _) = try await scene.run(rounds)
        #expect(
            log.values(of: "reason") == [
                "RECEIPT_PUBLIC_KEY_MISMATCH", "RECEIPT_APP_ID_MISMATCH", "RECEIPT_ENVIRONMENT_MISMATCH",
                "RECEIPT_TOKEN_MISMATCH", "RECEIPT_TYPE_MISMATCH",
            ])
        #expect(log.lines.last == "notice renewed receipts are taken again")
    }

    @Test func `a renewer sends no receipt that is another attestation's`() async throws {
        let (log, clock) = (LogRecorder(), ImmediateClock())
        let another = try scene.claim(.production) { $0[4] = Array(ReceiptFixture.hash.reversed()) }
        let script = ReceiptScript(
            [.due(.notYet), .due(.notYet, in: .development)],
            claims: [.production: another, .development: try scene.claim(.development)], clock: clock)
        let renewer = scene.renewer(of: script, log, clock)
        let ended = try await renewer.renewNext()
        #expect(ended == .ended && script.asked.isEmpty)
        #expect(log.values(of: "reason") == ["RECEIPT_CLIENT_DATA_HASH_MISMATCH"])
        let asked = try await renewer.renewNext()
        #expect(asked == .notYet && script.asked.count == 1)
    }
}
