import CaptureModel
import CaptureStore
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Revoking at the dashboard` {
    /// A gateway with operators and a registry, whose archive counts three captures of each kind: of all registrations
    /// of the key there are five.
    private static func fixture(hasLedger: Bool = true) throws -> GatewayFixture {
        let counts = DeviceTally(verified: 3, rejected: 3, reasons: [:], open: 3)
        var fixture = try GatewayFixture().withOperators(archive: ListedArchive(counts: counts))
        var registry = MemoryRegistry(store: fixture.store)
        registry.counts = DeviceTally(verified: 5, rejected: 5, reasons: [:], open: 5)
        fixture.dependencies.registry = registry
        if hasLedger { fixture.dependencies.intake = MemoryIntakeLedger(time: fixture.time.source) }
        return fixture
    }

    /// A moment of the gateway's, as forms send it.
    private static func moment(_ fixture: GatewayFixture, secondsAgo: Int) -> String {
        fixture.time.now.advanced(by: .seconds(-secondsAgo)).rfc3339
    }

    @Test(arguments: [true, false])
    func `a revocation calls open what has no result, and says where that is not known`(hasLedger: Bool) async throws {
        let fixture = try Self.fixture(hasLedger: hasLedger)
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let page = try await login.get("/dashboard/devices/\(device)?preview=1&reason=lost").text
            #expect(page.contains("<dt>Open</dt><dd><strong>3</strong><small>waiting, or dead letters") == hasLedger)
            #expect(page.contains("<strong>3</strong> open: those that wait will be rejected") == hasLedger)
            #expect(page.contains("<dt>Open</dt><dd><strong>–</strong><small>not known without a ledger") != hasLedger)
            #expect(page.contains("how many wait is not known without a ledger") != hasLedger)
            #expect(!page.contains("<dt>Waiting") && !page.contains(" waiting, which will be rejected"))
        }
    }

    @Test(arguments: [("", "it is only revoked", 3), ("1", "its key was in other hands", 5)])
    func `a revocation writes out what will be noted before it is, a compromise of every registration of the key`(
        compromised: String, meaning: String, count: Int
    ) async throws {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let query = "preview=1&from=2026-01-02T03:04:05&reason=lost%20%3Cb%3E&compromised=\(compromised)"
            let page = try await login.get("/dashboard/devices/\(device)?\(query)").text
            let start = try #require(page.firstRange(of: "This is what will be noted:")).lowerBound
            let end = try #require(page[start...].firstRange(of: "</form>")).lowerBound
            let shown = page[start..<end]
            #expect(shown.contains(">2026-01-02 03:04:05</time>"))
            #expect(shown.contains("<dt>Reason</dt><dd><bdi>lost &lt;b&gt;</bdi></dd>"))
            #expect(shown.contains("<dt>From then on</dt><dd>\(meaning)</dd>"))
            #expect(page.contains("<strong>\(count)</strong> verified, which stay verified"))
            // It is below the screen, where nobody sees that anything was answered.
            #expect(page.contains(#"<p id="preview" tabindex="-1" autofocus>"#))
            #expect(shown.contains(#"<button class="danger">Revoke the device"#))
        }
    }

    @Test func `a revocation refuses a moment that is ahead at the preview already, in the same words`() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let (own, ahead) = ("/dashboard/devices/\(device)", Self.moment(fixture, secondsAgo: -60))
            let preview = try await login.get("\(own)?preview=1&reason=lost&from=\(PercentEncoding.encode(ahead))")
            let sent = try await login.post("\(own)/revoke", [("reason", "lost"), ("from", ahead)])
            for answer in [preview, sent] {
                #expect(answer.status == 400 && answer.text.contains("rom must be a time that is not ahead"))
                #expect(!answer.text.contains("Revoke the device"))
            }
            let record = try await fixture.store.record(of: device)
            #expect(record?.registration.device.revokedAt == nil)
        }
    }

    @Test(arguments: ["2030-01-01T00:00", "soon"])
    func `a revocation from a moment that is refused shows its form as it was sent`(from: String) async throws {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let query = "from=\(from)&reason=lost%20%3Cb%3E&compromised=1&preview=1"
            let page = try await login.get("/dashboard/devices/\(device)?\(query)")
            #expect(page.status == 400 && page.text.contains(#"role="alert" id="refused">From must be "#))
            let field = try #require(page.text.firstMatch(of: /<input [^>]*id="from"[^>]*>/)).0
            #expect(field.contains("value=\"\(from)\"") && field.contains(" autofocus"))
            #expect(field.contains(#"aria-invalid="true" aria-describedby="refused""#))
            #expect(page.text.contains(#"value="lost &lt;b&gt;""#))
            #expect(page.text.contains(#"<option value="1" selected>its key was in other hands"#))
            #expect(!page.text.contains(#"class="confirm""#))
        }
    }

    @Test func `a revocation says that nothing changed where it had been done before, and shows the first reason`()
        async throws
    {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let own = "/dashboard/devices/\(device)"
            func revoke(
                _ reason: String, secondsAgo: Int, _ more: [(String, String)] = []
            ) async throws -> DashboardLogin.Answer {
                let moment = Self.moment(fixture, secondsAgo: secondsAgo)
                return try await login.post("\(own)/revoke", [("from", moment), ("reason", reason)] + more)
            }
            let key = [("compromised", "1")]
            #expect(try await revoke("lost", secondsAgo: 60).deed == "\(own)?done=revoked&count=1")
            let second = try await revoke("stolen", secondsAgo: 30)
            #expect(second.deed == "\(own)?done=unchanged&count=1")
            let page = try await login.get(second.location ?? "").text
            #expect(page.contains("Nothing changed: the device had been revoked before"))
            #expect(page.contains("“<bdi>lost</bdi>” by <bdi>alice (dashboard, token "))
            let preview = try await login.get("\(own)?preview=1&reason=x").text
            #expect(preview.contains("It is revoked already, since "))

            #expect(try await revoke("earlier", secondsAgo: 90).deed == "\(own)?done=revoked&count=1")
            #expect(try await revoke("found open", secondsAgo: 90, key).deed == "\(own)?done=compromised&count=0")
            #expect(try await revoke("found open", secondsAgo: 60, key).deed == "\(own)?done=unchanged&count=1")
            // Whoever asked is noted each time.
            let trail = try await fixture.store.auditTrail(of: "\(device)", limit: 10)
            #expect(trail.count { $0.action == "device.revoke" } == 3)
            #expect(trail.count { $0.action == "device.compromise" } == 2)
        }
    }
}
