import AppAttest
import AppleDeviceCheck
import CaptureModel
import CaptureStore
import Foundation
import TestSupport
import Testing
import Waiting

@testable import CaptureProcessing

@Suite struct `The schedule of a receipt` {
    private static let now = Timestamp(millisecondsSince1970: 1_790_000_000_000)
    private static let expectation = ReceiptExpectation(
        appID: AppID("TEAM123456.com.example.capture")!, publicKey: [4])
    private let schedule: ReceiptSchedule

    init() {
        var configuration = ReceiptRenewerConfiguration(
            keys: TrustedKeys(appIDs: [], environments: [], trustRoots: []), teamID: "TEAM123456")
        configuration.backoff = Backoff(base: .seconds(100), cap: .seconds(1000))
        configuration.alarmPause = .seconds(900)
        configuration.unknownPause = .seconds(10_000)
        schedule = ReceiptSchedule(configuration: configuration)
    }

    private func claim(attempts: Int = 0, notBefore: Timestamp? = nil) -> ClaimedReceipt {
        let device = Device.phone(
            .attested(publicKey: [4], environment: .production, appID: "", trustRoot: ""), registeredAt: Self.now)
        return ClaimedReceipt(
            token: 1, device: device, clientDataHash: nil, receipt: [1], receivedAt: Self.now, notBefore: notBefore,
            attempts: attempts)
    }

    private func settle(_ answer: ReceiptAnswer, _ claim: ClaimedReceipt, chance: Double = 1) -> ReceiptSettlement {
        schedule.settlement(of: claim, answer, chance: chance) { bytes throws(ReceiptError) in
            try ReceiptVerifier().verify(bytes, Self.expectation, at: Self.now.date)
        }
    }

    private func wait(_ settlement: ReceiptSettlement) -> Duration? { settlement.next?.pause }

    @Test
    func `the schedule of a receipt waits twice as long after every failure in a row, up to the cap, and at random`() {
        var waits: [Duration?] = []
        for attempts in 0..<6 {
            let settlement = settle(.unreachable("away"), claim(attempts: attempts))
            #expect(settlement.outcome == .unreachable && settlement.attempts == attempts + 1)
            waits.append(wait(settlement))
        }
        #expect(waits == [100, 200, 400, 800, 1000, 1000].map { .seconds($0) })
        #expect(wait(settle(.unreachable("away"), claim(), chance: 0)) == .seconds(10))
    }

    @Test func `the schedule of a receipt asks no sooner than the server wants, within the cap`() {
        let busy = settle(.overloaded(status: 429, retryAfter: .seconds(500)), claim())
        #expect(busy.outcome == .overloaded && busy.reason == .status(429) && wait(busy) == .seconds(500))
        #expect(wait(settle(.overloaded(status: 503, retryAfter: .seconds(90_000)), claim())) == .seconds(1000))
        #expect(wait(settle(.overloaded(status: 503, retryAfter: .seconds(1)), claim())) == .seconds(100))
        #expect(settle(.unexpected(status: 418), claim(attempts: 3)).attempts == 4)
    }

    @Test func `a receipt is asked for again after a 304 when it says so, and less and less often if that is over`() {
        let later = Self.now.advanced(by: .seconds(5000))
        let early = settle(.notYet, claim(notBefore: later))
        #expect(early.outcome == .notYet && early.next?.notBefore == later)
        // Apple's clock and ours differ, or whoever answers says nothing else.
        let waits = (0..<5).map { wait(settle(.notYet, claim(attempts: $0))) }
        #expect(waits == [100, 200, 400, 800, 1000].map { .seconds($0) })
    }

    @Test func `the schedule of a receipt asks rarely for a receipt that is refused or unknown`() {
        let refused = settle(.refused, claim())
        #expect(refused.outcome == .refused && refused.renewal == nil && wait(refused) == .seconds(10_000))
        let unknown = settle(.unknown, claim(attempts: 7))
        #expect(unknown.outcome == .unknown && unknown.attempts == 0 && wait(unknown) == .seconds(10_000))
        // Not all at once that were put off at once.
        let earliest = wait(settle(.unknown, claim(), chance: 0)) ?? .zero
        #expect(earliest > .seconds(8_999) && earliest < .seconds(9_001))
    }

    @Test func `the schedule of a receipt keeps the held one when the newer one is not good, and asks again`() {
        let rejected = settle(.renewed([1, 2, 3]), claim(attempts: 1))
        #expect(rejected.outcome == .rejected && rejected.reason?.rawValue == "RECEIPT_MALFORMED")
        #expect(rejected.renewal == nil && rejected.attempts == 2 && wait(rejected) == .seconds(200))
    }

    @Test func `the schedule of a receipt leaves everything alone for a while after the key was refused`() {
        let alarm = settle(.unauthorized, claim(), chance: 0)
        #expect(alarm.outcome == .unauthorized && wait(alarm) == .seconds(900))
    }
}
