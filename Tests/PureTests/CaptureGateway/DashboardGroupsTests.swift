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
        try await fixture.run { gateway in
            let login = try await DashboardLogin(gateway)
            let page = try await login.get("/dashboard/dead")
            let ofGroup = /<bdi>refused<\/bdi>.*?name="group" value="(\w{64})".*?name="until" value="([^"]+)"/
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
}
