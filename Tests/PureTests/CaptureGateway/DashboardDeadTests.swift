import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import HTML
import NIOCore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Dead letters at the dashboard` {
    /// What a browser sends of a group's form: line breaks become CRLF (HTML, 4.10.21.4).
    private static func fieldsOfFirstGroup(in page: String) throws -> [(String, String)] {
        let start = try #require(page.firstRange(of: "id=\"group-")).lowerBound
        return page[start...].matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)">/)
            .map { (String($0.1), String($0.2).replacing("\n", with: "\r\n")) }.filter { $0.0 != "form_token" }
    }

    @Test func `a group whose fault has line breaks is put back, and is told to be gone after that`() async throws {
        let fixture = try GatewayFixture().withOperators()
        _ = try await fixture.queue.bury(["one\ntwo", "one\ntwo"], seed: 1)
        let other = try await fixture.queue.bury(["one"], seed: 2)
        try await fixture.runLoggedIn { login in
            let group = try Self.fieldsOfFirstGroup(in: try await login.get("/dashboard/dead").text)
            let form = [("action", "redrive-group"), ("confirmed", "1")] + group
            let done = try await login.post("/dashboard/dead", form)
            #expect(done.deed == "/dashboard/dead?done=redriven&count=2")
            let left = try await fixture.queue.deadLetters(after: nil, limit: 10).letters.map(\.id)
            #expect(left == other)

            let again = try await login.post("/dashboard/dead", form)
            #expect(again.status == 404 && again.text.contains("none of these dead letters is there any more"))
            let unknown = try await login.post("/dashboard/dead", form.filter { $0.0 != "group" } + [("group", "x")])
            #expect(unknown.status == 404)
            #expect(try await fixture.queue.load().deadLetters == 1, "nothing was done")
        }
    }

    @Test(arguments: [("redrive", "redriven", "put back"), ("discard", "discarded", "deleted for good")])
    func `what is done at a capture's own page leads back to it`(action: String, deed: String, words: String)
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.runLoggedIn { login in
            let path = "/dashboard/captures/\(dead[0])"
            func fields(_ page: String) -> [(String, String)] {
                page.matches(of: /<input type="hidden" name="(letter|back|action|confirmed)" value="([^"]+)">/)
                    .map { (String($0.1), String($0.2)) }
            }
            let form = fields(try await login.get(path).text)
            var answer = try await login.post("/dashboard/dead", [("action", action)] + form)
            // Without our script, a page asks in between.
            if action == "discard" {
                #expect(answer.text.contains("href=\"\(path)\">Back, without discarding"))
                answer = try await login.post("/dashboard/dead", fields(answer.text))
            }
            #expect(answer.deed == "\(path)?done=\(deed)&count=1")
            let page = try await login.get(try #require(answer.location))
            #expect(page.status == 200 && page.text.contains("1 capture was \(words)"), "\(page.text)")
        }
    }

    @Test func `what was chosen and is no dead letter any more is counted apart`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused", "refused", "refused"], seed: 1)
        try await fixture.runLoggedIn { login in
            let places = try await fixture.queue.places(of: dead)
            func redrive(_ places: some Sequence<String>) async throws -> String {
                let form = [("action", "redrive")] + places.map { ("letter", $0) }
                let answer = try await login.post("/dashboard/dead", form)
                return try await login.get(try #require(answer.location)).text
            }
            #expect(try await redrive(places.prefix(1)).contains("1 capture was put back at the end of its lane.<"))
            let again = try await redrive(places.prefix(1))
            #expect(again.contains("1 capture was chosen: it was no longer a dead letter."))
            let some = try await redrive(places)
            #expect(some.contains("2 captures were put back, each at the end of its lane."))
            #expect(some.contains("1 other was no longer a dead letter."))
            let none = try await redrive(places)
            #expect(none.contains("3 captures were chosen: none of them was still a dead letter."))
        }
    }

    @Test func `a group shows its oldest letters or its newest, when the last was given up, and where the others are`()
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(Array(repeating: "refused", count: DeadPage.shownMax + 1), seed: 1)
        let last = try #require(try await fixture.queue.deadLetter(dead[dead.count - 1])).diedAt
        try await fixture.runLoggedIn { login in
            for (query, missing) in [("", dead.count - 1), ("?order=oldest", dead.count - 1), ("?order=newest", 0)] {
                let page = try await login.get("/dashboard/dead\(query)").text
                for (index, capture) in dead.enumerated() {
                    #expect(page.contains("/dashboard/captures/\(capture)") == (index != missing), "\(query) \(index)")
                }
                #expect(page.contains(", last <time datetime=\"\(last.rfc3339)\""))
                #expect(page.contains("href=\"/dashboard/captures?state=failed&amp;reason=ATTEMPTS_EXHAUSTED\""))
                #expect(page.contains("Newest first</a>") && !page.contains("There are more:"))
            }
            #expect(try await login.get("/dashboard/dead?order=largest").status == 400)
        }
    }

    @Test func `a group of the newest letters is put back as its page has counted it`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused", "refused", "refused"], seed: 1)
        let start = try #require(try await fixture.queue.deadLetterPlace(beforeNewest: 2))
        let survey = try await DeadLetterSurvey.take(of: fixture.queue, after: start)
        let user = DashboardUser(name: "alice", isOperator: true, token: .hash([]), formToken: "")
        let page = DeadPage(survey: survey, order: .newest).markup(Shell(user: user, now: fixture.time.now)).text
        #expect(page.contains("There are more: the newest 2 are grouped here"))
        try await fixture.runLoggedIn { login in
            let asked = try [("action", "redrive-group")] + Self.fieldsOfFirstGroup(in: page)
            let wrong = asked.filter { $0.0 != "after" } + [("after", "x")]
            #expect(try await login.post("/dashboard/dead", wrong).status == 400)
            let question = try await login.post("/dashboard/dead", asked).text
            #expect(question.contains("href=\"/dashboard/dead?order=newest\">Back, without redriving"))
            #expect(question.contains("name=\"order\" value=\"newest\""))
            let done = try await login.post("/dashboard/dead", asked + [("confirmed", "1")])
            #expect(done.deed == "/dashboard/dead?order=newest&done=redriven&count=2")
            #expect(try await login.get(try #require(done.location)).text.contains("2 captures were put back"))
            #expect(try await fixture.queue.deadLetters(after: nil, limit: 10).letters.map(\.id) == [dead[0]])
        }
    }

    @Test(arguments: [Int.max, .min]) func `a notice that somebody made up is only read`(number: Int) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let login = try await DashboardLogin(gateway)
            for query in ["count=\(number)&missing=\(number)", "count=0&missing=\(number)"] {
                let page = try await login.get("/dashboard/dead?done=redriven&\(query)")
                #expect(page.status == 200 && page.text.contains("Dead letters"))
                #expect(!page.text.contains(#"class="notice""#))
            }
        }
    }

    @Test func `the page of a dead letter says what it died of, that its bytes are gone, and hears of a redrive`()
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused by <x>"], seed: 1)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/captures/\(dead[0])").text
            #expect(page.contains("Fault: <bdi>refused by &lt;x&gt;</bdi>"))
            #expect(page.contains("its bytes are not kept any more") && !page.contains("<img"))
            #expect(page.contains(#"data-live="/api/v1/events""#))
        }
    }

    /// A fixture with a capture in the ledger whose bytes are there.
    private static func kept() async throws -> (fixture: GatewayFixture, submission: CaptureSubmission) {
        var fixture = try GatewayFixture().withOperators()
        let ledger = MemoryIntakeLedger(time: fixture.time.source)
        fixture.dependencies.intake = ledger
        let submission = SubmissionMaker.submission(seed: 1, receivedAt: fixture.time.now)
        _ = try await ledger.record([submission])
        try await fixture.bundles.put(CaptureMedia(photo: ByteBuffer(), depth: ByteBuffer()), of: submission)
        return (fixture, submission)
    }

    private static let redrive = #"value="redrive" class="primary""#

    @Test func `the page of a dead letter whose bytes are kept shows its pictures`() async throws {
        let (fixture, submission) = try await Self.kept()
        try await fixture.queue.bury(submission, fault: "refused")
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/captures/\(submission.id)").text
            #expect(page.matches(of: /<img/).count == 2 && !page.contains("not kept any more"))
            #expect(page.contains(Self.redrive))
            #expect(try await login.get("/dashboard/dead").text.contains(Self.redrive))
        }
    }

    /// A browser would show broken pictures, and a redrive reads the same bytes again.
    @Test func `the page of a dead letter whose bytes changed says so in place of pictures, and proposes no redrive`()
        async throws
    {
        let (fixture, submission) = try await Self.kept()
        try await fixture.queue.bury(submission, .bundleCorrupt, fault: Reason.bundleCorrupt.explanation)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/captures/\(submission.id)").text
            #expect(!page.contains("<img") && page.contains("they were not those that were accepted"))
            for text in [page, try await login.get("/dashboard/dead").text] {
                #expect(text.contains("a redrive ends here again") && text.contains(#"value="redrive""#))
                #expect(!text.contains(Self.redrive))
            }
        }
    }

    @Test func `the page of a capture that is put off for changed bytes shows no pictures either`() async throws {
        let (fixture, submission) = try await Self.kept()
        try await fixture.queue.putOffForChangedBytes(submission)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/captures/\(submission.id)").text
            #expect(page.contains(">retrying<") && page.contains("they were not those that were accepted"))
            #expect(!page.contains("<img"))
        }
    }
}
