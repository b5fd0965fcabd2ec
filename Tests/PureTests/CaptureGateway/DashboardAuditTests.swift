import CaptureModel
import CaptureStore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The audit at the dashboard` {
    /// A discard, and 200 registrations after it.
    private static let log: [NumberedAuditEntry] = (1...201).reversed().map { (number: Int64) in
        let at = Timestamp(millisecondsSince1970: number * 1000)
        let entry =
            number == 1
            ? AuditEntry(at: at, actor: "Alice (dashboard)", action: .captureDiscard, subject: "x")
            : AuditEntry(at: at, actor: "gateway", action: .deviceRegister, subject: "x")
        return NumberedAuditEntry(number: number, entry: entry)
    }

    /// How many entries of an action a page shows; the choice of the form names actions as well.
    private static func count(_ action: AuditAction, _ page: String) -> Int {
        page.split(separator: "<code>\(action.rawValue)</code>", omittingEmptySubsequences: false).count - 1
    }

    @Test func `the audit shows what people did, unless all is asked for`() async throws {
        try await GatewayFixture().withOperators(archive: ListedArchive(log: Self.log)).run { gateway in
            let login = try await DashboardLogin(gateway)
            let deeds = try await login.get("/dashboard/audit").text
            #expect(Self.count(.captureDiscard, deeds) == 1 && Self.count(.deviceRegister, deeds) == 0)
            #expect(!deeds.contains("Next page"))
            let all = try await login.get("/dashboard/audit?what=all").text
            #expect(Self.count(.captureDiscard, all) == 0 && Self.count(.deviceRegister, all) == 100)
            #expect(all.contains("href=\"/dashboard/audit?what=all&amp;after=102\""))
            #expect(all.contains("<option value=\"all\" selected>"))
        }
    }

    @Test func `the audit is asked for what was done and who did it, and the next page for the same`() async throws {
        try await GatewayFixture().withOperators(archive: ListedArchive(log: Self.log)).run { gateway in
            let login = try await DashboardLogin(gateway)
            for (query, discards, registrations) in [
                ("what=capture", 1, 0), ("what=capture.discard", 1, 0), ("what=capture.redrive", 0, 0),
                ("what=device", 0, 100), ("who=alice", 1, 0), ("what=all&who=alice", 1, 0), ("who=gateway", 0, 0),
                ("what=device&who=alice", 0, 0), ("who=+%20", 1, 0), ("what=device&who=+", 0, 100),
            ] {
                let page = try await login.get("/dashboard/audit?\(query)").text
                #expect(Self.count(.captureDiscard, page) == discards, "\(query)")
                #expect(Self.count(.deviceRegister, page) == registrations, "\(query)")
                #expect(page.contains("Nothing of that was done.") == (discards + registrations == 0), "\(query)")
            }
            let page = try await login.get("/dashboard/audit?what=device&who=gate%20%26way").text
            #expect(page.contains("value=\"gate &amp;way\"") && page.contains("<option value=\"device\" selected>"))
            let next = try await login.get("/dashboard/audit?what=device&who=GATE").text
            #expect(next.contains("href=\"/dashboard/audit?what=device&amp;who=GATE&amp;after=102\""))
        }
    }

    @Test func `the audit is asked for what was done to one thing, and when, and the next page for the same`()
        async throws
    {
        let id = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"
        let log = (1...240).reversed().map { (number: Int64) in
            NumberedAuditEntry(
                number: number,
                entry: AuditEntry(
                    at: Timestamp(millisecondsSince1970: number * 1000), actor: "alice", action: .captureRedrive,
                    subject: number.isMultiple(of: 2) ? id : "x"))
        }
        try await GatewayFixture().withOperators(archive: ListedArchive(log: log)).run { gateway in
            let login = try await DashboardLogin(gateway)
            let one = try await login.get("/dashboard/audit?subject=+\(id.uppercased())+").text
            #expect(Self.count(.captureRedrive, one) == 100)
            #expect(one.contains("href=\"/dashboard/audit?subject=\(id)&amp;after=42\""))
            #expect(one.contains("value=\"\(id)\""))
            // As a browser's input sends it.
            let span = "from=1970-01-01T00:01&to=1970-01-01T00:02:00.500"
            let some = try await login.get("/dashboard/audit?\(span)").text
            #expect(Self.count(.captureRedrive, some) == 61)
            #expect(some.contains("value=\"1970-01-01T00:01:00.000\""))
            #expect(some.contains("value=\"1970-01-01T00:02:00.500\""))
            let both = try await login.get("/dashboard/audit?subject=\(id)&\(span)").text
            #expect(Self.count(.captureRedrive, both) == 31)
            let none = try await login.get("/dashboard/audit?from=1970-01-02").text
            #expect(none.contains("Nothing of that was done."))
            let long = try await login.get("/dashboard/audit?from=1970-01-01T00:01").text
            let next = "from=1970-01-01T00%3A01%3A00.000Z&amp;after=141"
            #expect(long.contains("href=\"/dashboard/audit?\(next)\""))
        }
    }

    @Test func `a page of the audit that ends its look says so, and goes on behind that`() async throws {
        var archive = ListedArchive(log: Self.log)
        archive.auditLooksMax = 150
        try await GatewayFixture().withOperators(archive: archive).run { gateway in
            let login = try await DashboardLogin(gateway)
            let first = try await login.get("/dashboard/audit?who=alice").text
            #expect(first.contains("entries were looked through for this page, back to "))
            #expect(!first.contains("Nothing of that was done."))
            #expect(first.contains("href=\"/dashboard/audit?who=alice&amp;after=52\""))
            let second = try await login.get("/dashboard/audit?who=alice&after=52").text
            #expect(Self.count(.captureDiscard, second) == 1 && !second.contains("were looked through"))
        }
    }

    @Test func `the audit refuses what no entry can be`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let login = try await DashboardLogin(gateway)
            let long = String(repeating: "a", count: AuditQuery.whoScalarsMax + 1)
            for query in [
                "what=devices", "what=device.", "who=%00", "who=\(long)", "subject=\(long)", "from=yesterday",
                "from=1970-01-02&to=1970-01-01",
            ] {
                let page = try await login.get("/dashboard/audit?\(query)")
                #expect(page.status == 400, "\(query)")
            }
        }
    }

    @Test func `the audit shows a filter that means nothing at its field, and keeps the other`() async throws {
        try await GatewayFixture().withOperators(archive: ListedArchive(log: Self.log)).run { gateway in
            let login = try await DashboardLogin(gateway)
            let text = try await login.get("/dashboard/audit?what=devices&who=bob").text
            #expect(text.contains("<h1>Audit</h1>") && text.contains(#"id="refused">What must be all, "#))
            let choice = try #require(text.firstMatch(of: /<select id="filter-what"[^>]*>/)).0
            #expect(choice.contains(#"aria-invalid="true" aria-describedby="refused""#))
            #expect(text.contains(#"value="bob""#) && !text.contains("<table"))
            let long = String(repeating: "a", count: AuditQuery.whoScalarsMax + 1)
            let other = try await login.get("/dashboard/audit?what=device&who=\(long)").text
            let field = try #require(other.firstMatch(of: /<input [^>]*id="filter-who"[^>]*>/)).0
            #expect(field.contains("value=\"\(long)\"") && field.contains(#"aria-invalid="true""#))
            #expect(other.contains(#"<option value="device" selected>"#))
        }
    }

    @Test func `every action of the audit can be asked for`() {
        #expect(Set(AuditQuery.kinds.flatMap(\.actions)) == Set(AuditAction.allCases))
        #expect(Set(AuditQuery.words).count == AuditQuery.words.count)
        #expect(Set(AuditQuery.kinds.map(\.name)).count == AuditQuery.kinds.count)
    }
}
