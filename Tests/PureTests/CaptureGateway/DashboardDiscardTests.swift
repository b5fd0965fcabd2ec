import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Discarding at the dashboard` {
    /// What the form of a page sends besides the login's own token.
    private static func hidden(_ page: String) -> [(String, String)] {
        page.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)">/)
            .map { (String($0.1), String($0.2)) }.filter { $0.0 != "form_token" }
    }

    @Test(arguments: ["discard", "discard-group", "discard-all"])
    func `a discard asks without a script what and how many are meant, and deletes those once that is answered`(
        action: String
    ) async throws {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused", "refused", "odd"], seed: 1)
        let meant = action == "discard-all" ? dead : Array(dead.prefix(2))
        let places = try await fixture.queue.deadLetters(after: nil, limit: 10).letters.map(\.position)
        let until = try #require(places.max())
        try await fixture.runLoggedIn { login in
            let survey = try await DeadLetterSurvey.take(of: fixture.queue)
            let name = try #require(survey.groups.first { $0.fault == "refused" }).name
            let group = [("group", name), ("until", "\(until)")]
            let chosen = action == "discard" ? try await fixture.queue.places(of: meant).map { ("letter", $0) } : []
            let asked = try await login.post("/dashboard/dead", [("action", action)] + group + chosen)
            #expect(asked.status == 200 && asked.text.contains("<h1>Discard \(meant.count) captures?</h1>"))
            #expect(asked.text.contains("\(meant.count) devices") && asked.text.contains("It cannot be undone."))
            for capture in dead {
                #expect(asked.text.contains("/dashboard/captures/\(capture)") == meant.contains(capture))
                #expect(try await fixture.store.auditTrail(of: "\(capture)", limit: 1).isEmpty)
            }
            #expect(asked.text.contains(#"href="/dashboard/dead">Back, without discarding"#))
            #expect(try await fixture.queue.load().deadLetters == 3, "nothing was done")

            let done = try await login.post("/dashboard/dead", Self.hidden(asked.text))
            #expect(done.status == 303 && done.deed == "/dashboard/dead?done=discarded&count=\(meant.count)")
            let left = try await fixture.queue.deadLetters(after: nil, limit: 10).letters.map(\.id)
            #expect(left == dead.filter { !meant.contains($0) })
            let trail = try await fixture.store.auditTrail(of: "\(meant[0])", limit: 1)
            #expect(trail.map(\.action) == ["capture.discard"])
        }
    }

    @Test(arguments: ["redrive-group", "redrive-all"])
    func `a redrive of letters that nobody chose one by one asks first, and says which are in vain`(
        action: String
    ) async throws {
        let fixture = try GatewayFixture().withOperators()
        // Nobody has stored what is enqueued here.
        let dead = try await fixture.queue.bury(["refused", "refused"], seed: 1)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/dead").text
            let question = "Put back 2 captures of 2 devices, with all attempts again? 2 of them will end here again: "
            #expect(page.contains("value=\"\(action)\" data-confirm=\"\(question)"))
            let group = try #require(page.firstMatch(of: /name="group" value="(\w{64})"/)).1
            let until = try #require(page.firstMatch(of: /name="until" value="([^"]+)"/)).1
            let form = [("action", action), ("group", String(group)), ("until", String(until))]
            let asked = try await login.post("/dashboard/dead", form)
            #expect(asked.status == 200 && asked.text.contains("<h1>Redrive 2 captures?</h1>"))
            let outcome =
                " of 2 devices will be put back, each at the end of its lane, with all attempts again. 2 of them "
            #expect(asked.text.contains(outcome))
            #expect(asked.text.contains(#"<span id="dead-live" class="live-part">2</span>"#))
            #expect(asked.text.contains(#"href="/dashboard/dead">Back, without redriving"#))
            #expect(try await fixture.queue.load().deadLetters == 2, "nothing was done")
            #expect(try await fixture.store.auditTrail(of: "\(dead[0])", limit: 1).isEmpty)

            let done = try await login.post("/dashboard/dead", Self.hidden(asked.text))
            #expect(done.deed == "/dashboard/dead?done=redriven&count=2")
            #expect(try await fixture.queue.load().deadLetters == 0)
        }
    }

    @Test func `a discard leaves what was given up anew since it was asked about`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused"], seed: 1)
        let letter = try #require(try await fixture.queue.deadLetter(dead[0]))
        let other = DeadLetter.Position(diedAt: letter.diedAt.advanced(by: .milliseconds(-1)), capture: letter.id)
        try await fixture.runLoggedIn { login in
            // As the pages name it, with our script and without.
            for page in ["/dashboard/dead", "/dashboard/captures/\(dead[0])"] {
                #expect(try await login.get(page).text.contains("value=\"\(letter.position)\""))
            }
            let asked = try await login.post(
                "/dashboard/dead", [("action", "discard"), ("letter", "\(letter.position)")])
            #expect(asked.text.contains("value=\"\(letter.position)\""))
            for action in ["discard", "redrive"] {
                let form = [("action", action), ("letter", "\(other)"), ("confirmed", "1")]
                let done = try await login.post("/dashboard/dead", form)
                #expect(done.location?.contains("count=0") == true, "\(done.location ?? "")")
            }
            #expect(try await fixture.queue.load().deadLetters == 1)
        }
    }

    /// Whoever asks what became of it is not told that it never was.
    @Test func `a discard leaves a page that says who did it, and that the search finds`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused"], seed: 1)
        var maker = SubmissionMaker(seed: 2)
        let stranger = maker.submission(of: maker.device()).id
        try await fixture.runLoggedIn { login in
            let places = try await fixture.queue.places(of: dead)
            let form = [("action", "discard"), ("letter", places[0]), ("confirmed", "1")]
            #expect(try await login.post("/dashboard/dead", form).deed?.hasSuffix("count=1") == true)

            let path = "/dashboard/captures/\(dead[0])"
            let page = try await login.get(path)
            #expect(page.status == 200 && page.text.contains(">discarded<"), "\(page.text)")
            #expect(page.text.contains("alice (dashboard") && page.text.contains("<code>capture.discard</code>"))
            #expect(try await login.get("/dashboard/captures?q=\(dead[0])").location == path)
            #expect(try await login.get("/dashboard/captures/\(stranger)").status == 404)
        }
    }

    @Test func `a discard does not ask twice, and not about nothing`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.runLoggedIn { login in
            let nothing = try await login.post("/dashboard/dead", [("action", "discard")])
            #expect(nothing.deed == "/dashboard/dead?done=discarded&count=0")
            #expect(try await login.get(nothing.location ?? "").text.contains("No capture was chosen."))
            // As the script sends it once it has asked.
            let places = try await fixture.queue.places(of: dead)
            let form = [("action", "discard"), ("letter", places[0]), ("confirmed", "1")]
            #expect(try await login.post("/dashboard/dead", form).deed?.hasSuffix("count=1") == true)
            #expect(try await fixture.queue.load().deadLetters == 0)
        }
    }
}
