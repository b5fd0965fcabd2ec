import AppleDeviceCheck
import CaptureModel
import CoreMetrics
import Observability
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A renewer of receipts, from round to round` {
    private let scene: ReceiptRounds

    init() throws { scene = try ReceiptRounds() }

    @Test func `a renewer says once that Apple refuses the key, and asks nothing for a while each time`() async throws {
        let (log, clock, asked) = try await scene.run([.due(.unauthorized), .nothingDue, .due(.unauthorized)])
        #expect(log.lines == ["error receipts are not exchanged"])
        #expect(log.values(of: "fault") == ["Apple does not take the developer key"])
        #expect(asked == [.zero, ReceiptRounds.alarmPause])
        #expect(clock.now.offset == ReceiptRounds.alarmPause)
    }

    @Test func `a renewer looks for nothing where there is no other environment to ask about`() async throws {
        let rounds = [ReceiptRound.due(.unauthorized), .nothingDue, .due(.unauthorized)]
        let (_, clock, asked) = try await scene.run(rounds, environments: [.production])
        #expect(clock.slept == [ReceiptRounds.alarmPause, .seconds(5), ReceiptRounds.alarmPause])
        #expect(asked == [.zero, ReceiptRounds.alarmPause + .seconds(5)])
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
        let (_, _, asked) = try await scene.run([.due(answer), .due(.unknown, in: .development), .due(.unknown)])
        #expect(asked == [.zero, .zero, .seconds(seconds)])
    }

    @Test func `a renewer takes receipts that are refused one after the other for a wrong address, and says so once`()
        async throws
    {
        let (log, _, asked) = try await scene.run([
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
        let (few, _, _) = try await scene.run(many + [.due(.notYet)] + many)
        #expect(few.lines.isEmpty)
        let (log, _, asked) = try await scene.run(many + [.due(.unknown), .due(.unknown), .due(.notYet)])
        // Known ones may wait behind them: a look apart each, and no more.
        #expect(asked.suffix(3) == [.zero, .seconds(10), .seconds(20)])
        #expect(log.lines == ["error receipts are not exchanged", "notice receipts are exchanged again"])
    }

    @Test(arguments: [ReceiptAnswer.notYet, .unknown])
    func `a renewer goes on when Apple has taken the key again`(answer: ReceiptAnswer) async throws {
        let (log, _, _) = try await scene.run([.due(.unauthorized), .nothingDue, .due(answer), .due(answer)])
        #expect(log.lines == ["error receipts are not exchanged", "notice receipts are exchanged again"])
    }

    @Test(arguments: [
        ReceiptRound.nothingDue, .recordAway, .due(.unreachable("away")),
        .due(.overloaded(status: 503, retryAfter: nil)),
    ])
    func `a renewer does not take silence for a key that is taken`(round: ReceiptRound) async throws {
        let (log, _, asked) = try await scene.run([.due(.unauthorized), round, .nothingDue, .due(.unauthorized)])
        #expect(log.lines.first == "error receipts are not exchanged")
        #expect(asked.count == (round.environment == nil ? 2 : 3))
        #expect(!log.lines.contains("notice receipts are exchanged again"))
    }

    @Test(
        arguments: [
            (.unauthorized, ["error receipts are not exchanged", "notice receipts are exchanged again"]),
            (.unreachable("reset"), ["warning Apple is not reached", "notice Apple is reached again"]),
        ] as [(ReceiptAnswer, [String])])
    func `a renewer says of each environment what is its own, however often they take turns`(
        fault: ReceiptAnswer, lines: [String]
    ) async throws {
        let (log, _, asked) = try await scene.run([
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
            _ = try await scene.run(rounds)
        }
        let exposition = try StrictExposition(registry.render())
        let name = "capture_developer_key_refused"
        #expect(exposition.value(name, ["environment": "production"]) == production)
        #expect(exposition.value(name, ["environment": "development"]) == development)
    }
}
