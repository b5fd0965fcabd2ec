import CaptureModel
import CaptureStore
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// Receipts are exchanged each day, for good, and mostly bring the metric of the day before.
@Suite(.timeLimit(.minutes(3))) struct `Noted risks` {
    private static let noted = PostgresStatement(
        "test_noted_risks",
        "SELECT metric, (extract(epoch FROM metric_at) * 1000000)::bigint AS at FROM risks ORDER BY noted_at")

    /// Notes a 7 in five days.
    private static let ahead = [
        PostgresStatement("test_risks_free", "ALTER TABLE risks DISABLE TRIGGER USER"),
        PostgresStatement(
            "test_risks_ahead",
            """
            INSERT INTO risks (device_id, metric, metric_at, noted_at)
            SELECT device_id, 7, metric_at, clock_timestamp() + interval '5 days' FROM risks
            """),
        PostgresStatement("test_risks_held", "ALTER TABLE risks ENABLE TRIGGER USER"),
    ]

    private static func day(_ days: Int) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_750_000_000_000).advanced(by: .seconds(days * 86_400))
    }

    /// Has Apple tell a metric at a moment.
    private func tell(_ metric: Int?, at moment: Timestamp, to scene: ReceiptScene) async throws {
        let claim = try #require(try await scene.store.claimReceipt(lease: .seconds(60), token: 1))
        let settlement = ReceiptSettlement(
            outcome: .renewed, reason: nil, attempts: 0, next: .init(after: .zero),
            renewal: .init(receipt: [1], riskMetric: metric, notBefore: nil))
        #expect(try await scene.store.settle(claim, as: settlement, at: moment))
    }

    @Test func `a risk is noted where it is another one, and each week where it stays the same`() async throws {
        try await withPostgresStore { store, client async throws in
            let scene = try ReceiptScene(store: store)
            let device = try await scene.register()
            // Day 3 comes again where a clock is set back: what is noted is not to be told as later than it was said.
            let told = [(7, 0), (7, 1), (7, 7), (7, 8), (7, 15), (8, 16), (7, 17), (7, 3)]
            for (metric, days) in told { try await tell(metric, at: Self.day(days), to: scene) }
            try await tell(nil, at: Self.day(18), to: scene)
            var rows: [DeviceRisk] = []
            for row in try await client.execute(Self.noted).rows {
                rows.append(
                    try DeviceRisk(
                        metric: Int(row.int4("metric")), at: Timestamp(microsecondsSince1970: row.int8("at"))))
            }
            let expected = [(7, 0), (7, 8), (8, 16), (7, 17), (7, 3)].map { metric, days in
                DeviceRisk(metric: metric, at: Self.day(days))
            }
            #expect(rows == expected)
            #expect(try await store.devices([device.id])[device.id]?.risk == DeviceRisk(metric: 7, at: Self.day(3)))
        }
    }

    /// PostgreSQL's clock was ahead then: no result sees that row, and the next one has to be noted beside it.
    @Test func `a risk that was noted in a time to come does not stand for one that is told now`() async throws {
        try await withPostgresStore { store, client async throws in
            let scene = try ReceiptScene(store: store)
            let device = try await scene.register()
            try await tell(3, at: Self.day(0), to: scene)
            for statement in Self.ahead { _ = try await client.execute(statement) }
            try await tell(7, at: Self.day(1), to: scene)
            let capture = ExaminedCapture.sample(device, counter: 1)
            _ = try await store.settle([capture], policy: .strict)
            let result = try #require(try await store.results(of: [capture.job.id])[capture.job.id])
            #expect(result.risk == DeviceRisk(metric: 7, at: Self.day(1)))
        }
    }

    @Test func `a result has the risk that was noted for its device, and the device the latest time`() async throws {
        try await withPostgresStore { store, _ async throws in
            let scene = try ReceiptScene(store: store)
            let device = try await scene.register()
            for days in [0, 1] { try await tell(7, at: Self.day(days), to: scene) }
            let capture = ExaminedCapture.sample(device, counter: 1)
            _ = try await store.settle([capture], policy: .strict)
            let result = try #require(try await store.results(of: [capture.job.id])[capture.job.id])
            #expect(result.risk == DeviceRisk(metric: 7, at: Self.day(0)))
            #expect(try await store.devices([device.id])[device.id]?.risk == DeviceRisk(metric: 7, at: Self.day(1)))
        }
    }
}
