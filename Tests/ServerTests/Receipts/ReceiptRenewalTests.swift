import AppleDeviceCheck
import CaptureModel
import CaptureProcessing
import CaptureStore
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import PostgresClient
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Renewing receipts` {
    private func withScene(_ body: (ReceiptScene, PostgresClient) async throws -> Void) async throws {
        try await withPostgresStore(connections: 8) { store, client async throws in
            try await body(ReceiptScene(store: store), client)
        }
    }

    @Test
    func `a renewal puts a verified newer one in the place of the old, and the risk on the device and its results`()
        async throws
    {
        try await withScene { scene, client async throws in
            let device = try await scene.register()
            let clock = scene.clock
            let renewer = try scene.renewer(asking: scene.renewing(riskMetric: 7))
            let before = ExaminedCapture.sample(device, counter: 1)
            _ = try await scene.store.settle([before], policy: .strict)
            #expect(try await renewer.renewNext() == .renewed)
            #expect(try await renewer.renewNext() == nil)
            let risk = try #require(try await scene.store.devices([device.id])[device.id]?.risk)
            #expect(risk.metric == 7 && abs(risk.at.since(clock.now) / .seconds(1)) < 0.001)
            let after = ExaminedCapture.sample(device, counter: 2)
            _ = try await scene.store.settle([after], policy: .strict)
            let results = try await scene.store.results(of: [before.job.id, after.job.id])
            #expect(results[before.job.id]?.risk == nil && results[after.job.id]?.risk == risk)
            // The next one renews the renewed one, a day later.
            let standing = try #require(try await scene.store.receipt(of: device.id))
            #expect(standing.outcome == .renewed && standing.attempts == 0)
            #expect(try #require(standing.nextAt) >= clock.now.advanced(by: .seconds(86_399)))
            try await scene.hurry(client)
            clock.advance(by: .seconds(90_000))
            #expect(try await renewer.renewNext() == .renewed)
        }
    }

    @Test func `a renewal leaves a result the metric that its check has judged, and the limit of that time`()
        async throws
    {
        try await withScene { scene, _ async throws in
            let device = try await scene.register()
            let clock = scene.clock
            let renewer = try scene.renewer(asking: scene.renewing(riskMetric: 7))
            // Verified by what a worker had read before, and settled when Apple has told more.
            let known = DeviceRisk(metric: 2, at: clock.now.advanced(by: .seconds(-86_400)))
            let judged = ExaminedCapture.sample(device, counter: 1, risk: JudgedRisk(known, warning: 5))
            let unjudged = ExaminedCapture.sample(device, counter: 2)
            #expect(try await renewer.renewNext() == .renewed)
            _ = try await scene.store.settle([judged, unjudged], policy: .strict)
            let results = try await scene.store.results(of: [judged.job.id, unjudged.job.id])
            let result = try #require(results[judged.job.id])
            #expect(result.risk == known && result.riskWarning == 5)
            #expect(result.checks.contains(Check(.risk, .pass)))
            let other = try #require(results[unjudged.job.id])
            #expect(other.risk?.metric == 7 && other.riskWarning == nil)
        }
    }

    @Test func `a renewal is done by one worker for each receipt, however many there are`() async throws {
        try await withScene { scene, _ async throws in
            var devices: [Device] = []
            for _ in 0..<12 { try await devices.append(scene.register()) }
            let asked = Mutex<[[UInt8]: Int]>([:])
            let (issuer, clock) = (scene.issuer, scene.clock)
            let renewer = try scene.renewer { receipt in
                asked.withLock { $0[receipt, default: 0] += 1 }
                await Task.yield()
                guard let renewed = try? issuer.renew(receipt, riskMetric: 1, at: clock.now.date) else {
                    return .refused
                }
                return .renewed(renewed)
            }
            let outcomes = try await race(8) { _ in
                var outcomes: [ReceiptOutcome] = []
                while let outcome = try await renewer.renewNext() { outcomes.append(outcome) }
                return outcomes
            }
            #expect(outcomes.flatMap { $0 }.count == devices.count)
            #expect(asked.withLock { $0.values.allSatisfy { $0 == 1 } && $0.count == devices.count })
        }
    }

    /// PostgreSQL's clock judges what is due: by a clock that is behind, a moment may be over before it is written.
    @Test func `a receipt does not come back at once where this worker's clock is behind PostgreSQL's`() async throws {
        try await withScene { scene, _ async throws in
            let device = try await scene.register()
            let renewer = try scene.renewer { _ in .notYet }
            scene.clock.advance(by: .seconds(-7200))
            #expect(try await renewer.renewNext() == .notYet)
            #expect(try await renewer.renewNext() == nil)
            let standing = try #require(try await scene.store.receipt(of: device.id))
            #expect(try #require(standing.nextAt) > scene.clock.now.advanced(by: .seconds(7200)))
        }
    }

    @Test func `a renewal asks about an environment that is not passed over, however long the other's have been due`()
        async throws
    {
        try await withScene { scene, _ async throws in
            _ = try await scene.register()
            let other = try await scene.register(environment: .development)
            let store = scene.store
            #expect(
                try await store.claimReceipt(
                    lease: .seconds(60), token: 1, passingOver: [.production, .development]) == nil)
            let claim = try await store.claimReceipt(lease: .seconds(60), token: 2, passingOver: [.production])
            #expect(claim?.device.id == other.id)
            #expect(try await store.claimReceipt(lease: .seconds(60), token: 3, passingOver: [.production]) == nil)
            #expect(try await store.claimReceipt(lease: .seconds(60), token: 4) != nil)
        }
    }

    @Test func `a renewal does not take its own stop for Apple's silence`() async throws {
        try await withScene { scene, _ async throws in
            let device = try await scene.register()
            let renewer = try scene.renewer { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return .unreachable("cancelled")
            }
            let stopped = Task { try await renewer.renewNext() }
            #expect(try await stopped.value == nil)
            let standing = try #require(try await scene.store.receipt(of: device.id))
            #expect(standing.outcome == .waiting && standing.attempts == 0)
        }
    }

    @Test func `a renewal leaves no transaction open while Apple is asked, and a lost claim changes nothing`()
        async throws
    {
        try await withScene { scene, client async throws in
            let device = try await scene.register()
            let (issuer, clock, store) = (scene.issuer, scene.clock, scene.store)
            let idle = Mutex<Int64?>(nil)
            let renewer = try scene.renewer { receipt in
                let count = try? await client.execute(Self.openTransactions).first?.int8("open")
                idle.withLock { $0 = count }
                // The lease ends, another worker takes the receipt and is done first.
                try? await scene.hurry(client)
                guard let claim = try? await store.claimReceipt(lease: .seconds(60), token: 42) else { return .refused }
                let other = ReceiptSettlement(
                    outcome: .unknown, reason: .status(404), attempts: 0, next: .init(after: .seconds(3600)))
                guard (try? await store.settle(claim, as: other, at: clock.now)) == true,
                    let renewed = try? issuer.renew(receipt, riskMetric: 99, at: clock.now.date)
                else { return .refused }
                return .renewed(renewed)
            }
            #expect(try await renewer.renewNext() == .renewed)
            #expect(idle.withLock { $0 } == 0)
            #expect(try await scene.store.receipt(of: device.id)?.outcome == .unknown)
            #expect(try await scene.store.devices([device.id])[device.id]?.risk == nil)
        }
    }

    private static let openTransactions = PostgresStatement(
        "test_open_transactions",
        """
        SELECT count(*) AS open FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction'
        """)

    enum Fraud: CaseIterable, Sendable {
        case ofOtherDevice, damaged, firstAgain, old

        /// How the reason for which it is refused begins.
        var reason: String {
            switch self {
            case .ofOtherDevice: "RECEIPT_PUBLIC_KEY_MISMATCH"
            // It depends on where in the bytes the middle is.
            case .damaged: "RECEIPT_"
            case .firstAgain: "RECEIPT_TYPE_MISMATCH"
            case .old: "RECEIPT_STALE"
            }
        }
    }

    @Test(arguments: Fraud.allCases)
    func `a renewal keeps the old one when the newer one is not the device's`(_ fraud: Fraud) async throws {
        try await withScene { scene, _ async throws in
            let device = try await scene.register()
            let (issuer, clock) = (scene.issuer, scene.clock)
            let stranger = SimulatedDevice(appID: "TEAM123456.com.example.capture")
            let content = try stranger.receiptContent(
                clientDataHash: [1], authority: scene.authority, at: clock.now.date)
            let others = try issuer.renew(issuer.sign(content), riskMetric: 0, at: clock.now.date)
            let renewer = try scene.renewer { receipt in
                switch fraud {
                case .ofOtherDevice: return .renewed(others)
                case .damaged:
                    guard var bytes = try? issuer.renew(receipt, riskMetric: 0, at: clock.now.date) else {
                        return .refused
                    }
                    bytes[bytes.count / 2] ^= 1
                    return .renewed(bytes)
                case .firstAgain: return .renewed(receipt)
                case .old:
                    let yesterday = clock.now.date.addingTimeInterval(-7200)
                    let bytes = try? issuer.renew(receipt, riskMetric: 0, at: yesterday)
                    return bytes.map { .renewed($0) } ?? .refused
                }
            }
            #expect(try await renewer.renewNext() == .rejected)
            let standing = try #require(try await scene.store.receipt(of: device.id))
            #expect(standing.reason?.rawValue.hasPrefix(fraud.reason) == true && standing.attempts == 1)
            #expect(try #require(standing.nextAt) > clock.now)
            #expect(try await scene.store.devices([device.id])[device.id]?.risk == nil)
        }
    }

    @Test func `a renewal sends nothing for devices that are revoked, and for receipts that are not good or are over`()
        async throws
    {
        try await withScene { scene, _ async throws in
            let renewer = try scene.renewer { _ in
                Issue.record("nothing was to be sent")
                return .refused
            }
            let malformed = ReceiptReason(rawValue: "RECEIPT_MALFORMED")
            let refused = try await scene.register(receipt: [1, 2, 3], rejection: malformed)
            #expect(try await scene.store.receipt(of: refused.id)?.nextAt == nil)
            #expect(try await renewer.renewNext() == nil)

            // As those of devices that were registered before receipts were looked into.
            let unseen = try await scene.register(receipt: [1, 2, 3])
            #expect(try await renewer.renewNext() == .ended)
            #expect(try await scene.store.receipt(of: unseen.id)?.reason == malformed)

            let revoked = try await scene.register()
            _ = try await scene.store.revoke(revoked.id, at: scene.clock.now, reason: "lost", actor: "tests")
            #expect(try await renewer.renewNext() == .ended)
            #expect(try await scene.store.receipt(of: revoked.id)?.reason?.rawValue == "DEVICE_REVOKED")

            let late = try await scene.register()
            scene.clock.advance(by: .seconds(91 * 86_400))
            #expect(try await renewer.renewNext() == .ended)
            let standing = try #require(try await scene.store.receipt(of: late.id))
            #expect(standing.reason?.rawValue == "RECEIPT_EXPIRED" && standing.nextAt != nil, "the clock may be wrong")
            #expect(try await renewer.renewNext() == nil)
        }
    }

    @Test func `a device's first receipt is renewed at once where the gateway's clock is ahead`() async throws {
        try await withScene { scene, _ async throws in
            scene.clock.advance(by: .seconds(7200))
            let device = try await scene.register()
            let claim = try await scene.store.claimReceipt(lease: .seconds(60), token: 1, passingOver: [])
            #expect(claim?.device.id == device.id)
        }
    }
}
