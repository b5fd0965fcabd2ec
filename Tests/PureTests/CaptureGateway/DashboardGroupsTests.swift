import CaptureModel
import CaptureQueue
import TestSupport
import Testing

@Suite("Buttons for many dead letters", .timeLimit(.minutes(2)))
struct DashboardGroupsTests {
    @Test(arguments: ["discard-all", "redrive-all", "discard-group", "redrive-group"])
    func `a button for all letters or for a group acts on those that its page counted`(action: String) async throws {
        let fixture = try GatewayFixture().withOperators()
        let counted = try await fixture.queue.bury(["refused", "odd"], seed: 1)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/dead")
            let ofGroup = /<bdi>refused<\/bdi><\/p>.*?name="group" value="(\w{64})".*?name="until" value="([^"]+)"/
            let group = try #require(page.text.firstMatch(of: ofGroup))
            let all = try #require(page.text.firstMatch(of: /name="until" value="([^"]+)"/))
            let until = String(action.hasSuffix("group") ? group.2 : all.1)
            fixture.time.advance(by: .seconds(1))
            let later = try await fixture.queue.bury(["refused", "odd"], seed: 2)

            let form = [("action", action), ("group", String(group.1)), ("confirmed", "1")]
            for wrong in ["", "x"] {
                let refused = try await login.post("/dashboard/dead", form + [("until", wrong)])
                #expect(refused.status == 400)
            }
            #expect(try await fixture.queue.load().deadLetters == 4)
            let done = try await login.post("/dashboard/dead", form + [("until", until)])
            #expect(done.status == 303)
            let left = try await fixture.queue.deadLetters(after: nil, limit: 10).letters.map(\.id)
            #expect(Set(left) == Set(action.hasSuffix("group") ? [counted[1]] + later : later))
            let state = try await fixture.queue.status(of: [counted[0]])[0]?.state
            let expected: CaptureState? = action.hasPrefix("redrive") ? .queued : nil
            #expect(state == expected)
        }
    }

    @Test func `groups of dead letters are listed at the top and lead to their parts, and regions differ by name`()
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        let long = String(repeating: "x", count: 500)
        _ = try await fixture.queue.bury(["refused", "refused", "odd", long], seed: 1)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/dead").text
            let table = try #require(page.firstMatch(of: /id="groups".*?<\/table>/)).0
            let links = table.matches(of: /<tr><td><a href="#(group-\w{64})">\d\./).map { String($0.1) }
            #expect(links.count == 3 && Set(links).count == 3)
            for link in links { #expect(page.contains("<section class=\"card\" id=\"\(link)\"")) }
            #expect(table.contains("<bdi>\(String(repeating: "x", count: 120))…</bdi>") && page.contains(long))
            let regions = page.matches(of: /role="region" aria-label="([^"]*)"/).map { String($0.1) }
            #expect(regions.count == 4 && Set(regions).count == 4)
            let headings = page.matches(of: /<h2 id="[^"]*">([^<]*)</).map { String($0.1) }
            #expect(headings.count == 4 && Set(headings).count == 4)
            let described = page.matches(of: /value="(?:redrive|discard)[^>]*aria-describedby="(group-\w{64})-title"/)
            #expect(described.count == 12 && Set(described.map { String($0.1) }) == Set(links))
            let odd = try await fixture.queue.deadLetters(after: nil, limit: 4).letters[2]
            #expect(try await fixture.queue.discard(odd.position))
            let fewer = try await login.get("/dashboard/dead").text
            #expect(links.count { fewer.contains("id=\"\($0)\"") } == 2, "an id is its group's, wherever that stands")
        }
    }
}
