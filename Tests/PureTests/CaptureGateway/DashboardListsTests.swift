import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FoundationEssentials
import HTML
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Lists and moments at the dashboard` {
    @Test func `a reason of dead letters lists them, whatever state is not asked for`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let buried = try await fixture.queue.bury(["refused", "odd"], seed: 1)
        try await fixture.run { gateway in
            let path = "/api/v1/captures?reason=ATTEMPTS_EXHAUSTED"
            var (met, after): ([String], String?) = ([], "")
            while let place = after {
                let query = place.isEmpty ? "" : "&after=\(PercentEncoding.encode(place))"
                let page = try await gateway.get("\(path)&limit=1\(query)", token: GatewayFixture.readToken)
                #expect(page.status == 200)
                met += page.data["captures"].elements.compactMap { $0["capture_id"].string }
                after = page.data["next"].string
            }
            #expect(Set(met) == Set(buried.map(\.description)) && met.count == 2)
            for name in ["status", "state"] {
                let path = "/api/v1/captures?\(name)=failed"
                let page = try await gateway.get(path, token: GatewayFixture.readToken)
                let listed = page.data["captures"].elements
                #expect(Set(listed.compactMap { $0["capture_id"]?.string }) == Set(met), "\(path)")
                #expect(listed.allSatisfy { $0["status"] == "failed" }, "\(path)")
            }
            let other = try await gateway.get(
                "/api/v1/captures?reason=BUNDLE_MISSING", token: GatewayFixture.readToken)
            #expect(other.status == 200 && other.data["captures"].elements.isEmpty)
            let shown = try await DashboardLogin(gateway).get("/dashboard/captures?reason=ATTEMPTS_EXHAUSTED")
            for capture in buried { #expect(shown.text.contains("/dashboard/captures/\(capture)")) }
        }
    }

    @Test func `replays are of their own reasons, and the next page is of the same question`() async throws {
        let captures = (0..<3).map { index in
            ArchivedCapture(
                id: CaptureID(UUID()), device: DeviceID(UUID()),
                receivedAt: Timestamp(millisecondsSince1970: Int64(1000 - index)), result: nil)
        }
        let fixture = try GatewayFixture().withOperators(archive: ListedArchive(captures: captures))
        try await fixture.runLoggedIn { login in
            for reason in ["SIGNATURE_INVALID", "INTERNAL", "X"] {
                let other = try await login.get("/dashboard/replays?reason=\(reason)")
                let words = ">Reason must be COUNTER_REPLAY or COUNTER_STALE.<"
                #expect(other.status == 400 && other.text.contains(words), "\(reason)")
            }
            let question = "reason=COUNTER_STALE&device=\(captures[0].device)&from=1970-01-01T00:00:00.123Z&limit=2"
            let page = try await login.get("/dashboard/replays?\(question)")
            let next = try #require(page.text.firstMatch(of: /href="\/dashboard\/replays\?([^"]*after=[^"]*)"/)).1
            for field in question.split(separator: "&") {
                let (name, value) = (field.prefix { $0 != "=" }, field.drop { $0 != "=" }.dropFirst())
                #expect(next.contains("\(name)=\(PercentEncoding.encode(String(value)))"), "\(next)")
            }
        }
    }

    @Test func `no dead letter is a replay, whatever state is asked for`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let buried = try await fixture.queue.bury(["refused", "odd"], seed: 1)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/replays?state=failed")
            #expect(page.status == 200 && page.text.contains("No captures."))
            #expect(!buried.contains { page.text.contains("\($0)") })
            #expect(try await login.get("/dashboard/replays?state=failed&reason=COUNTER_STALE").status == 400)
        }
    }

    @Test func `a filter asks again for the very moments that it shows`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let query = "from=2026-04-21T18:13:12.345Z&to=2026-04-21T18:13:59.001Z"
            let page = try await DashboardLogin(gateway).get("/dashboard/captures?\(query)").text
            for moment in ["2026-04-21T18:13:12.345", "2026-04-21T18:13:59.001"] {
                #expect(page.contains("value=\"\(moment)\" step=\"any\""))
            }
        }
    }

    @Test func `moments that are asked for, or about to be confirmed, say that they are UTC`() async throws {
        let fixture = try GatewayFixture().withOperators()
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            let list = try await login.get("/dashboard/captures").text
            #expect(list.contains(">From (UTC)</label>") && list.contains(">To (UTC)</label>"))
            let page = try await login.get(
                "/dashboard/devices/\(device)?preview=1&reason=stolen&from=2026-01-02T03:04:05"
            ).text
            #expect(page.contains("From (UTC)"))
            #expect(page.contains(">2026-01-02 03:04:05</time> UTC: "))
        }
    }

    @Test func `a list without a ledger does not deny what may wait`() async throws {
        let plain = try GatewayFixture().withOperators()
        var withLedger = plain
        withLedger.dependencies.intake = MemoryIntakeLedger(time: plain.time.source)
        for (fixture, isDenied) in [(plain, false), (withLedger, true)] {
            try await fixture.runLoggedIn { login in
                for query in ["", "?state=queued", "?state=retrying"] {
                    let text = try await login.get("/dashboard/captures\(query)").text
                    #expect(text.contains("No captures.") == isDenied, "\(query)")
                    #expect(text.contains(CaptureTable.emptyWithoutLedger) != isDenied, "\(query)")
                }
                // Whatever waits is not among these.
                for query in ["?state=verified", "?state=failed", "?reason=DEVICE_REVOKED"] {
                    let text = try await login.get("/dashboard/captures\(query)").text
                    #expect(text.contains("No captures."), "\(query)")
                }
            }
        }
    }

    /// A capture that is put off for changed bytes, behind many that wait and were received later.
    private static func putOff(behind count: Int) async throws -> (fixture: GatewayFixture, capture: CaptureID) {
        let fixture = try GatewayFixture()
        let submission = SubmissionMaker.submission(seed: 1)
        try await fixture.queue.putOffForChangedBytes(submission)
        let waiting = (0..<count).map { index in
            ArchivedCapture(
                id: CaptureID(UUID()), device: submission.device,
                receivedAt: Timestamp(millisecondsSince1970: Int64(1_000_000 - index)), result: nil)
        }
        let last = ArchivedCapture(
            id: submission.id, device: submission.device, receivedAt: Timestamp(millisecondsSince1970: 1), result: nil)
        return (fixture.withOperators(archive: ListedArchive(captures: waiting + [last])), submission.id)
    }

    @Test func `a list of one state goes on by itself until it has a page, and ends its look`() async throws {
        let (fixture, capture) = try await Self.putOff(behind: 300)
        let (long, last) = try await Self.putOff(behind: ListedPage.looksMax)
        try await fixture.run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/captures?state=retrying").text
            #expect(page.contains("/dashboard/captures/\(capture)") && !page.contains("Next page"))
            let list = "/api/v1/captures?status=queued&limit=100"
            var (met, after): ([String], String?) = ([], "")
            while let place = after {
                let query = place.isEmpty ? "" : "&after=\(PercentEncoding.encode(place))"
                let page = try await gateway.get(list + query, token: GatewayFixture.readToken)
                #expect(page.data["captures"].elements.count == 100)
                met += page.data["captures"].elements.compactMap { $0["capture_id"].string }
                after = page.data["next"].string
            }
            #expect(met.count == 300 && Set(met).count == 300 && !met.contains(capture.description))
        }
        try await long.runLoggedIn { login in
            let page = try await login.get("/dashboard/captures?state=retrying").text
            #expect(page.contains("None among these; go on."))
            let next = try #require(page.firstMatch(of: /href="([^"]*after=[^"]*)"/)).1
            let second = try await login.get(String(next).replacing("&amp;", with: "&")).text
            #expect(second.contains("/dashboard/captures/\(last)"))
        }
    }

    @Test func `a capture that is put off is found by what it is put off for`() async throws {
        let (fixture, capture) = try await Self.putOff(behind: 60)
        try await fixture.run { gateway in
            let login = try await DashboardLogin(gateway)
            for (reason, isFound) in [("BUNDLE_CORRUPT", true), ("BUNDLE_MISSING", false)] {
                let page = try await login.get("/dashboard/captures?state=retrying&reason=\(reason)")
                #expect(page.status == 200 && page.text.contains("/dashboard/captures/\(capture)") == isFound)
                let list = try await gateway.get(
                    "/api/v1/captures?status=retrying&reason=\(reason)", token: GatewayFixture.readToken)
                #expect(list.status == 200 && list.data["captures"].elements.count == (isFound ? 1 : 0))
            }
        }
    }

    @Test func `a place of dead letters is none of the other list, and no name comes twice`() async throws {
        let fixture = try GatewayFixture().withOperators()
        _ = try await fixture.queue.bury(["refused", "odd"], seed: 1)
        try await fixture.run { gateway in
            let token = GatewayFixture.readToken
            let page = try await gateway.get("/api/v1/captures?status=failed&limit=1", token: token)
            let next = try #require(page.data["next"].string)
            for query in ["captures?after=\(PercentEncoding.encode(next))", "devices?foo=1", "devices?limit=1&limit=2"]
            {
                let answer = try await gateway.get("/api/v1/\(query)", token: token)
                #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR", "\(query)")
            }
        }
    }

    @Test
    func `live pages and dead letters say that the queue is paused, since when and by whom, and others do not`()
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.runLoggedIn { login in
            for (action, isPaused) in [("pause", true), ("resume", false)] {
                _ = try await login.post("/dashboard/queue", [("action", action)])
                for path in ["", "/captures", "/captures/\(dead[0])", "/rejections", "/replays", "/dead"] {
                    let text = try await login.get("/dashboard\(path)").text
                    let moment = fixture.time.now.rfc3339
                    let since = "The queue is paused since <time datetime=\"\(moment)\""
                    #expect(text.contains(since) == isPaused, "\(path)")
                    #expect(text.contains("</time>, by <bdi>alice (dashboard, token ") == isPaused, "\(path)")
                    // It is ended at the overview.
                    let way = #"resumed at the <a href="/dashboard">overview</a>."#
                    #expect(text.contains(way) == (isPaused && !path.isEmpty), "\(path)")
                }
                for path in ["/devices", "/audit"] {
                    #expect(try await !login.get("/dashboard\(path)").text.contains("The queue is paused"), "\(path)")
                }
            }
        }
    }

    @Test func `what is searched for may have blanks around it, and stays in its field`() async throws {
        let digest = SHA256Digest.hash([7])
        let capture = CaptureID(UUID())
        let archive = ListedArchive(digests: [digest: [capture]])
        try await GatewayFixture().withOperators(archive: archive).run { gateway in
            let login = try await DashboardLogin(gateway)
            let pasted = PercentEncoding.encode("\t \(digest)\r\n")
            let found = try await login.get("/dashboard/captures?q=\(pasted)")
            #expect(found.status == 303 && found.location == "/dashboard/captures/\(capture)")
            let missing = try await login.get("/dashboard/captures?q=nobody")
            let field = try #require(missing.text.firstMatch(of: /<input type="search"[^>]*>/)).0
            #expect(field.contains(#"value="nobody""#))
            let room = try #require(field.firstMatch(of: /maxlength="(\d+)"/)).1
            #expect(Int(room) ?? 0 > digest.hex.count)
        }
    }

    /// The ledger has no row of a verified capture, and never had one of a capture that was handed off.
    @Test func `a bundle is found by what the queue knows it as, while anything is known of that`() async throws {
        let fixture = try GatewayFixture().withOperators(archive: ListedArchive())
        let known = SubmissionMaker.submission(seed: 3)
        _ = try await fixture.queue.enqueue(known)
        try await fixture.runLoggedIn { login in
            let found = try await login.get("/dashboard/captures?q=\(known.bundleDigest)")
            #expect(found.status == 303 && found.location == "/dashboard/captures/\(known.id)")
            let missing = try await login.get("/dashboard/captures?q=\(SHA256Digest.hash([1]))")
            #expect(missing.text.contains("Nothing is known by"))
        }
    }

    @Test func `what people wrote cannot turn a line of the audit around`() {
        let entry = AuditEntry(
            at: Timestamp(microsecondsSince1970: 0), actor: "\u{202E}ecila", action: "device.revoke", subject: "x",
            details: ["reason": "\u{202E}tsol", "since": "now"])
        let text = AuditTable(entries: [entry]).markup.text
        #expect(text.contains("<td><bdi>\u{FFFD}ecila</bdi></td>") && text.contains("<td><bdi>x</bdi></td>"))
        #expect(text.contains("<td>reason: <bdi>\u{FFFD}tsol</bdi> · since: <bdi>now</bdi></td>"))
    }

    @Test func `the link of a reason leads to its captures, given up or not`() async throws {
        for reason in Reason.allCases {
            let isOfDeadLetters = Reason.ofDeadLetters.contains(reason)
            #expect(Wording.address(of: reason).contains("state=failed") == isOfDeadLetters)
        }
        let fixture = try GatewayFixture().withOperators()
        let buried = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.runLoggedIn { login in
            for (reason, isListed) in [(Reason.attemptsExhausted, true), (.bundleMissing, false)] {
                let page = try await login.get(Wording.address(of: reason))
                #expect(page.status == 200 && page.text.contains("\(buried[0])") == isListed)
            }
        }
    }
}
