import AppAttest
import AppleDeviceCheck
import CaptureModel
import CaptureStore
import CoreMetrics
import DeviceSimulator
import Foundation
import Logging
import Observability
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite(.timeLimit(.minutes(1))) struct `A renewer of receipts, from round to round` {
    private static let alarmPause = Duration.seconds(900)
    private let fixture: ReceiptFixture
    private let root: TrustRoot

    init() throws {
        fixture = try ReceiptFixture()
        root = try TrustRoot(pem: fixture.authority.rootPEM)
    }

    /// Lets a renewer run until the rounds are over.
    private func run(
        _ rounds: [ReceiptRound],
        environments: Set<KeyEnvironment> = [.production, .development]
    ) async throws -> (log: LogRecorder, clock: ImmediateClock, asked: [Duration]) {
        let (log, clock) = (LogRecorder(), ImmediateClock())
        let script = try script(rounds, clock)
        try await renewer(of: script, log, clock, environments).run()
        return (log, clock, script.asked)
    }

    private func script(_ rounds: [ReceiptRound], _ clock: ImmediateClock) throws -> ReceiptScript {
        ReceiptScript(
            rounds, claims: [.production: try claim(.production), .development: try claim(.development)], clock: clock)
    }

    private func renewer(
        of script: ReceiptScript, _ log: LogRecorder, _ clock: ImmediateClock,
        _ environments: Set<KeyEnvironment> = [.production, .development]
    ) -> ReceiptRenewer<ReceiptScript, ReceiptScript> {
        var configuration = ReceiptRenewerConfiguration(
            keys: TrustedKeys(
                appIDs: [ReceiptFixture.app.text], environments: environments, trustRoots: [root.sha256]),
            teamID: "TEAM123456")
        configuration.roots = [root]
        configuration.alarmPause = Self.alarmPause
        return ReceiptRenewer(
            store: script, exchange: script, configuration: configuration, now: { Timestamp(ReceiptFixture.moment) },
            random: { 0 }, logger: log.logger, clock: EndingClock(clock: clock, script: script))
    }

    private func claim(
        _ environment: KeyEnvironment, _ change: (inout ReceiptContent) -> Void = { _ in }
    ) throws -> ClaimedReceipt {
        let now = Timestamp(ReceiptFixture.moment)
        var content = fixture.content
        if environment == .development { content[7] = Array("sandbox".utf8) }
        change(&content)
        let device = Device(
            id: DeviceID(UUID()), keyID: fixture.device.keyID,
            key: .attested(
                publicKey: fixture.device.publicKey, environment: environment, appID: ReceiptFixture.app.text,
                trustRoot: root.recordedName),
            platform: "ios", model: fixture.device.model,
            hasLidar: true, revokedAt: nil, registeredAt: now)
        return ClaimedReceipt(
            token: 1, device: device, clientDataHash: ReceiptFixture.hash, receipt: try fixture.issuer.sign(content),
            receivedAt: now, notBefore: nil, attempts: 0)
    }

    @Test func `a renewer says once that Apple refuses the key, and asks nothing for a while each time`() async throws {
        let (log, clock, asked) = try await run([.due(.unauthorized), .nothingDue, .due(.unauthorized)])
        #expect(log.lines == ["error receipts are not exchanged"])
        #expect(log.values(of: "fault") == ["Apple does not take the developer key"])
        #expect(asked == [.zero, Self.alarmPause])
        #expect(clock.now.offset == Self.alarmPause)
    }

    @Test func `a renewer looks for nothing where there is no other environment to ask about`() async throws {
        let rounds = [ReceiptRound.due(.unauthorized), .nothingDue, .due(.unauthorized)]
        let (_, clock, asked) = try await run(rounds, environments: [.production])
        #expect(clock.slept == [Self.alarmPause, .seconds(5), Self.alarmPause])
        #expect(asked == [.zero, Self.alarmPause + .seconds(5)])
    }

    @Test(
        arguments: [
            (.unauthorized, 900), (.overloaded(status: 429, retryAfter: .seconds(300)), 300),
            (.overloaded(status: 503, retryAfter: .seconds(86_400)), 21_600), (.unreachable("away"), 10),
            (.renewed([1]), 10), (.refused, 10), (.notYet, 10),
        ] as [(ReceiptAnswer, Int)])
    func `a renewer leaves every receipt of an environment alone for as long as its server asks for, and no other's`(
        answer: ReceiptAnswer, seconds: Int
    ) async throws {
        let (_, _, asked) = try await run([.due(answer), .due(.unknown, in: .development), .due(.unknown)])
        #expect(asked == [.zero, .zero, .seconds(seconds)])
    }

    @Test func `a renewer takes receipts that are refused one after the other for a wrong address, and says so once`()
        async throws
    {
        let (log, _, asked) = try await run([
            .due(.refused), .due(.refused), .due(.unknown, in: .development), .due(.refused), .due(.refused),
            .due(.notYet),
        ])
        #expect(asked == [0, 10, 10, 20, 920, 1820].map { .seconds($0) })
        #expect(log.lines.filter { $0.hasPrefix("error") } == ["error receipts are not exchanged"])
        #expect(log.values(of: "host") == ["production.example"])
        #expect(log.lines.last == "notice receipts are exchanged again")
    }

    @Test func `a renewer takes many receipts in a row that nobody knows for the same, and a few for forgotten ones`()
        async throws
    {
        let many = [ReceiptRound](repeating: .due(.unknown), count: 19)
        let (few, _, _) = try await run(many + [.due(.notYet)] + many)
        #expect(few.lines.isEmpty)
        let (log, _, asked) = try await run(many + [.due(.unknown), .due(.unknown), .due(.notYet)])
        // Known ones may wait behind them: a look apart each, and no more.
        #expect(asked.suffix(3) == [.zero, .seconds(10), .seconds(20)])
        #expect(log.lines == ["error receipts are not exchanged", "notice receipts are exchanged again"])
    }

    @Test func `a renewer says once for each reason that new receipts are not taken, and whether it may be our clock`()
        async throws
    {
        let held = try fixture.issuer.sign(fixture.content)
        let date = ReceiptFixture.moment
        let stale = try fixture.issuer.renew(held, riskMetric: 1, at: date.addingTimeInterval(-7200))
        let good = try fixture.issuer.renew(held, riskMetric: 1, at: date)
        let (log, _, _) = try await run([
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
            var content = fixture.content
            change(&content)
            return .due(.renewed(try fixture.issuer.renew(fixture.issuer.sign(content), riskMetric: 1, at: date)))
        }
        let other = try SimulatedDevice(appID: ReceiptFixture.app.text).receiptContent(
            clientDataHash: ReceiptFixture.hash, authority: fixture.authority, at: date)
        let rounds: [ReceiptRound] = try [
            renewed { $0[3] = other[3] }, renewed { $0[2] = Array("TEAM123456.org.example.other".utf8) },
            renewed { $0[7] = Array("sandbox".utf8) }, renewed { $0[5] = other[5] },
            .due(.renewed(fixture.issuer.sign(fixture.content))), renewed { _ in },
        ]
        let (log, _, _) = try await run(rounds)
        #expect(
            log.values(of: "reason") == [
                "RECEIPT_PUBLIC_KEY_MISMATCH", "RECEIPT_APP_ID_MISMATCH", "RECEIPT_ENVIRONMENT_MISMATCH",
                "RECEIPT_TOKEN_MISMATCH", "RECEIPT_TYPE_MISMATCH",
            ])
        #expect(log.lines.last == "notice renewed receipts are taken again")
    }

    @Test func `a renewer sends no receipt that is another attestation's`() async throws {
        let (log, clock) = (LogRecorder(), ImmediateClock())
        let another = try claim(.production) { $0[4] = Array(ReceiptFixture.hash.reversed()) }
        let script = ReceiptScript(
            [.due(.notYet), .due(.notYet, in: .development)],
            claims: [.production: another, .development: try claim(.development)], clock: clock)
        let renewer = renewer(of: script, log, clock)
        let ended = try await renewer.renewNext()
        #expect(ended == .ended && script.asked.isEmpty)
        #expect(log.values(of: "reason") == ["RECEIPT_CLIENT_DATA_HASH_MISMATCH"])
        let asked = try await renewer.renewNext()
        #expect(asked == .notYet && script.asked.count == 1)
    }

    @Test(arguments: [ReceiptAnswer.notYet, .unknown])
    func `a renewer goes on when Apple has taken the key again`(answer: ReceiptAnswer) async throws {
        let (log, _, _) = try await run([.due(.unauthorized), .nothingDue, .due(answer), .due(answer)])
        #expect(log.lines == ["error receipts are not exchanged", "notice receipts are exchanged again"])
    }

    @Test(arguments: [
        ReceiptRound.nothingDue, .recordAway, .due(.unreachable("away")),
        .due(.overloaded(status: 503, retryAfter: nil)),
    ])
    func `a renewer does not take silence for a key that is taken`(round: ReceiptRound) async throws {
        let (log, _, asked) = try await run([.due(.unauthorized), round, .nothingDue, .due(.unauthorized)])
        #expect(log.lines.first == "error receipts are not exchanged")
        #expect(asked.count == (round.environment == nil ? 2 : 3))
        #expect(!log.lines.contains("notice receipts are exchanged again"))
    }

    @Test func `a renewer says once that Apple is not reached, and why, and once that it is again`() async throws {
        let (log, _, asked) = try await run([
            .due(.unreachable("connect timeout")), .nothingDue, .due(.unreachable("reset")), .due(.notYet),
            .due(.notYet),
        ])
        #expect(log.lines == ["warning Apple is not reached", "notice Apple is reached again"])
        #expect(log.values(of: "fault") == ["connect timeout"] && asked.count == 4)
    }

    @Test func `a renewer leaves a refused key alone for as long where the record does not take the answer`()
        async throws
    {
        let (log, _, asked) = try await run([.unsettled(.unauthorized), .nothingDue, .due(.notYet)])
        #expect(asked == [.zero, Self.alarmPause])
        #expect(
            log.lines == [
                "error receipts are not exchanged", "error receipts are not exchanged",
                "notice receipts are exchanged again",
            ])
        #expect(log.values(of: "fault").last == "Apple does not take the developer key")
    }

    @Test func `a renewer leaves a record that takes no answer alone for a while`() async throws {
        let (log, clock, _) = try await run([.unsettled(.notYet), .unsettled(.unreachable("away")), .nothingDue])
        #expect(clock.slept == [.seconds(10), .seconds(10), .seconds(5)])
        #expect(
            log.lines == [
                "error receipts are not exchanged", "warning Apple is not reached",
                "notice receipts are exchanged again",
            ])
    }

    @Test(arguments: [ReceiptRound.unsettled(.notYet), .recordAway])
    func `a renewer tells who asks for one turn that the record is away`(round: ReceiptRound) async throws {
        let clock = ImmediateClock()
        let renewer = renewer(of: try script([round], clock), LogRecorder(), clock)
        await #expect(throws: StoreError(.unavailable, "")) { try await renewer.renewNext() }
    }

    @Test(
        arguments: [
            (.unauthorized, ["error receipts are not exchanged", "notice receipts are exchanged again"]),
            (.unreachable("reset"), ["warning Apple is not reached", "notice Apple is reached again"]),
        ] as [(ReceiptAnswer, [String])])
    func `a renewer says of each environment what is its own, however often they take turns`(
        fault: ReceiptAnswer, lines: [String]
    ) async throws {
        let (log, _, asked) = try await run([
            .due(fault, in: .development), .due(.notYet), .due(fault, in: .development), .due(.notYet),
            .due(.notYet, in: .development), .due(.notYet),
        ])
        #expect(log.lines == lines && asked.count == 6)
        #expect(log.values(of: "environment") == ["development", "development"])
    }

    @Test(
        arguments: [
            ([.nothingDue], "0", "0"), ([.due(.unauthorized)], "1", "0"), ([.unsettled(.unauthorized)], "1", "0"),
            (
                [
                    .due(.unauthorized), .due(.unreachable("away")), .due(.overloaded(status: 503, retryAfter: nil)),
                    .nothingDue, .recordAway,
                ], "1", "0"
            ),
            ([.due(.unauthorized), .due(.unauthorized, in: .development), .due(.notYet)], "0", "1"),
        ] as [([ReceiptRound], String, String)])
    func `a renewer tells the metrics whether Apple's last word on the key was a refusal`(
        rounds: [ReceiptRound], production: String, development: String
    ) async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            _ = try await run(rounds)
        }
        let exposition = try StrictExposition(registry.render())
        let name = "capture_developer_key_refused"
        #expect(exposition.value(name, ["environment": "production"]) == production)
        #expect(exposition.value(name, ["environment": "development"]) == development)
    }

    @Test func `a renewer says once that the record is away, and that it goes on when nothing else is in its way`()
        async throws
    {
        let (log, _, _) = try await run([.recordAway, .recordAway, .nothingDue, .nothingDue])
        #expect(log.lines == ["error receipts are not exchanged", "notice receipts are exchanged again"])
        let (both, _, _) = try await run([.due(.unauthorized), .recordAway, .nothingDue, .due(.notYet)])
        #expect(
            both.lines == [
                "error receipts are not exchanged", "error receipts are not exchanged",
                "notice receipts are exchanged again",
            ])
    }
}
