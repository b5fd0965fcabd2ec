import CaptureModel
import CaptureStore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The audit over HTTP` {
    private static let capture = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

    /// Nine entries, a second apart: Alice discards, and a gateway registers.
    private static let log: [NumberedAuditEntry] = (1...9).reversed().map { (number: Int64) in
        let at = Timestamp(millisecondsSince1970: number * 1000)
        let entry =
            number.isMultiple(of: 3)
            ? AuditEntry(at: at, actor: "Alice", action: .captureDiscard, subject: capture, details: ["count": "1"])
            : AuditEntry(at: at, actor: "gateway", action: .deviceRegister, subject: "x")
        return NumberedAuditEntry(number: number, entry: entry)
    }

    private static func run(
        _ archive: ListedArchive = ListedArchive(log: Self.log),
        _ body: @Sendable @escaping (GatewayCaller) async throws -> Void
    ) async throws {
        try await GatewayFixture().withOperators(archive: archive).run { gateway in try await body(gateway) }
    }

    private static func ask(_ query: String, _ gateway: GatewayCaller) async throws -> GatewayCaller.Answer {
        try await gateway.get("/api/v1/audit\(query)", token: GatewayFixture.readToken)
    }

    private static func ids(_ answer: GatewayCaller.Answer) -> [JSONValue] {
        answer.data["entries"].elements.compactMap { $0["id"] }
    }

    private static func ids(_ numbers: [Int64]) -> [JSONValue] { numbers.map { JSONValue.whole($0) } }

    @Test func `the audit is told with all that an entry has, and without what programs noted unless it is asked for`()
        async throws
    {
        try await Self.run { gateway in
            let deeds = try await Self.ask("", gateway)
            #expect(deeds.status == 200 && deeds.data["next"].string == nil)
            #expect(Self.ids(deeds) == Self.ids([9, 6, 3]))
            let latest = try #require(deeds.data["entries"].elements.first)
            #expect(latest["at"] == "1970-01-01T00:00:09.000Z" && latest["actor"] == "Alice")
            #expect(latest["action"] == "capture.discard" && latest["subject"] == .string(Self.capture))
            #expect(latest["details"] == ["count": "1"])
            let all = try await Self.ask("?what=all", gateway)
            #expect(Self.ids(all).count == 9)
        }
    }

    private static let filtered: [(query: String, numbers: [Int64])] = [
        ("what=capture.discard", [9, 6, 3]), ("what=device", [8, 7, 5, 4, 2, 1]), ("who=alice", [9, 6, 3]),
        ("what=all&subject=x", [8, 7, 5, 4, 2, 1]), ("subject=\(capture.uppercased())", [9, 6, 3]),
        ("subject=0197f3a2", []), ("what=all&from=1970-01-01T00:00:07Z", [9, 8, 7]),
        ("what=all&to=1970-01-01T00:00:03Z", [2, 1]),
        ("subject=\(capture)&from=1970-01-01T00:00:04Z&to=1970-01-01T00:00:09Z", [6]),
    ]

    @Test func `the audit is filtered by what, who, subject and time`() async throws {
        try await Self.run { gateway in
            for (query, numbers) in Self.filtered {
                let answer = try await Self.ask("?\(query)", gateway)
                #expect(answer.status == 200, "\(query)")
                #expect(Self.ids(answer) == Self.ids(numbers), "\(query)")
            }
        }
    }

    @Test func `the audit is read page by page, also where a look ends before a page is full`() async throws {
        var archive = ListedArchive(log: Self.log)
        archive.auditLooksMax = 4
        try await Self.run(archive) { gateway in
            var (met, place): ([JSONValue], String?) = ([], "")
            var pages = 0
            while let after = place {
                let page = try await Self.ask(after.isEmpty ? "?limit=2" : "?limit=2&after=\(after)", gateway)
                #expect(page.status == 200)
                met += Self.ids(page)
                place = page.data["next"].string
                pages += 1
            }
            #expect(met == Self.ids([9, 6, 3]) && pages > 1)
        }
    }

    @Test func `the audit is for tokens, and names a parameter that means nothing`() async throws {
        try await Self.run { gateway in
            for (query, field) in [
                ("what=devices", "what"), ("who=%00", "who"), ("subject=%00", "subject"), ("from=yesterday", "from"),
                ("to=1970-01-01", "to"), ("from=1970-01-01T00:00", "from"), ("after=x", "after"), ("limit=0", "limit"),
                ("limit=501", "limit"), ("from=1970-01-01T00:00:07Z&to=1970-01-01T00:00:07Z", "to"),
                ("actor=a", "actor"),
            ] {
                let refused = try await Self.ask("?\(query)", gateway)
                #expect(refused.status == 400 && refused.field == field, "\(query)")
            }
        }
        try await GatewayFixture().withOperators().run { gateway in
            let answer = try await gateway.get("/api/v1/audit")
            #expect(answer.status == 401)
        }
        try await GatewayFixture().run { gateway in
            let answer = try await gateway.get("/api/v1/audit", token: GatewayFixture.readToken)
            #expect(answer.status == 404)
        }
    }
}
