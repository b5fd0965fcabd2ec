import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FoundationEssentials
import HTML
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Where lists at the dashboard end` {
    @Test func `a page without captures that others follow says so`() async throws {
        let captures = (0..<ListedPage.looksMax + 10).map { index in
            ArchivedCapture(
                id: CaptureID(UUID()), device: DeviceID(UUID()),
                receivedAt: Timestamp(millisecondsSince1970: Int64(100_000 - index)), result: nil)
        }
        var fixture = try GatewayFixture().withOperators(archive: ListedArchive(captures: captures))
        fixture.dependencies.intake = MemoryIntakeLedger(time: fixture.time.source)
        try await fixture.runLoggedIn { login in
            // All of them wait: none of those that one page looks at is in a worker's hands.
            let first = try await login.get("/dashboard/captures?state=processing")
            #expect(first.text.contains("None among these; go on.") && first.text.contains("Next page"))
            #expect(!first.text.contains("No captures."))
            let next = try #require(first.text.firstMatch(of: /href="([^"]*)" rel="next"/)).1
            let second = try await login.get(String(next).replacing("&amp;", with: "&"))
            #expect(second.text.contains("No more.") && !second.text.contains("Next page"))
        }
        fixture = try GatewayFixture().withOperators(archive: ListedArchive(captures: Array(captures.prefix(60))))
        fixture.dependencies.intake = MemoryIntakeLedger(time: fixture.time.source)
        try await fixture.run { gateway in
            let only = try await DashboardLogin(gateway).get("/dashboard/captures?state=processing")
            #expect(only.text.contains("No captures.") && !only.text.contains("Next page"))
        }
    }

    @Test func `a page that is full and the last one names no next one`() async throws {
        let captures = (0..<3).map { index in
            ArchivedCapture(
                id: CaptureID(UUID()), device: DeviceID(UUID()),
                receivedAt: Timestamp(millisecondsSince1970: Int64(1000 - index)), result: nil)
        }
        try await GatewayFixture().withOperators(archive: ListedArchive(captures: captures)).run { gateway in
            for (limit, isLast) in [(2, false), (3, true), (4, true)] {
                let page = try await gateway.get("/api/v1/captures?limit=\(limit)", token: GatewayFixture.readToken)
                #expect(page.status == 200 && page.data["captures"].elements.count == min(limit, 3))
                #expect((page.data["next"].string == nil) == isLast, "\(limit)")
            }
        }
    }

    @Test func `a list ends with its last page`() async throws {
        let start = Timestamp(microsecondsSince1970: 0)
        let log = (1...AuditPage.pageSize + 1).reversed().map { number in
            NumberedAuditEntry(
                number: Int64(number),
                entry: AuditEntry(at: start, actor: "alice", action: "queue.pause", subject: "queue"))
        }
        for (entries, hasNext) in [(log, true), (Array(log.dropLast()), false)] {
            try await GatewayFixture().withOperators(archive: ListedArchive(log: entries)).run { gateway in
                let login = try await DashboardLogin(gateway)
                let page = try await login.get("/dashboard/audit").text
                #expect(page.matches(of: /<code>queue\.pause<\/code>/).count == AuditPage.pageSize)
                #expect(page.contains("Next page") == hasNext)
                let second = try await login.get("/dashboard/audit?after=2").text
                #expect(second.contains("<code>queue.pause</code>") == hasNext && !second.contains("Next page"))
                let beyond = try await login.get("/dashboard/audit?after=1").text
                #expect(beyond.contains("No more.") && !beyond.contains("Nothing was done yet."))
            }
        }
    }

    /// As a link that was cut may have it: the first page would pass for the next one.
    @Test(arguments: ["devices", "audit", "captures"])
    func `a place that is none is refused`(list: String) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/\(list)?after=zz")
            #expect(page.status == 400 && page.text.contains(">After must be "), "\(page.text)")
        }
    }

    @Test(arguments: [DevicesPage.pageSize, DevicesPage.pageSize + 1])
    func `devices end with their last page`(count: Int) {
        let start = Timestamp(microsecondsSince1970: 0)
        let found = (0..<count).map { number in
            let device = Device.phone(
                .attested(publicKey: [UInt8(number)], environment: .production, appID: "", trustRoot: ""),
                registeredAt: start)
            return ListedDevice(device: device, compromisedSince: nil)
        }
        let user = DashboardUser(name: "alice", isOperator: true, token: .hash([]), formToken: "")
        let page = DevicesPage(found: found, after: nil).markup(Shell(user: user, now: start)).text
        #expect(page.matches(of: /iPhone17,1/).count == DevicesPage.pageSize)
        #expect(page.contains("Next page") == (count > DevicesPage.pageSize))
        let last = found[DevicesPage.pageSize - 1].device.id
        #expect(page.contains("after=\(last)") == (count > DevicesPage.pageSize))
    }

    @Test(arguments: [(50, false), (51, true)])
    func `what was done to one thing shows the latest, and says where there is more`(deeds: Int, isCut: Bool)
        async throws
    {
        let store = MemoryCaptureStore(time: ManualTime().source)
        for deed in 0..<deeds {
            try await store.recordAudit([
                AuditEntry(
                    at: Timestamp(microsecondsSince1970: 0), actor: "alice", action: "deed.\(deed)", subject: "x")
            ])
        }
        let trail = try await AuditTrail(of: "x", in: store)
        #expect(trail.entries.count == 50 && trail.entries.first?.action == "deed.\(deeds - 1)")
        let text = AuditTable(trail: trail).markup.text
        #expect(trail.isCut == isCut && text.contains("/dashboard/audit") == isCut)
    }
}
