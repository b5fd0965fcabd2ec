import CaptureModel
import CaptureOperations
import CaptureQueue
import HTML
import TestSupport
import Testing

@testable import CaptureGateway

/// A redrive of them ends as a dead letter again.
@Suite(.timeLimit(.minutes(1))) struct `Dead letters whose bytes are gone` {
    private static let hint = "only the same upload, sent once more, brings them back"

    /// A dead letter, with its bytes or without.
    private static func letter(hasBytes: Bool) async throws -> DeadLetter {
        let queue = MemoryCaptureQueue(time: ManualTime().source)
        let dead = try await queue.bury(["refused"], seed: 1)
        var letter = try #require(try await queue.deadLetter(dead[0]))
        letter.bytes = DeadLetter.Bytes(areKept: hasBytes)
        return letter
    }

    /// What is asked before they are deleted.
    private static func question(_ letters: [DeadLetter]) -> LetterQuestionPage {
        LetterQuestionPage(verb: .discard, letters: letters, origin: Page.dead.address, fields: [])
    }

    @Test func `dead letters whose bytes are gone are not recommended for a redrive, and the page says what helps`()
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        // Nobody has stored what is enqueued here.
        let dead = try await fixture.queue.bury([Reason.attemptsExhausted.explanation], seed: 1)
        try await fixture.runLoggedIn { login in
            for page in ["/dashboard/dead", "/dashboard/captures/\(dead[0])"] {
                let text = try await login.get(page).text
                let button = try #require(text.firstMatch(of: /<button [^>]*value="redrive"[^>]*>/)).0
                #expect(!button.contains("primary") && text.contains(Self.hint), "\(page)")
            }
            let list = try await login.get("/dashboard/dead").text
            #expect(list.contains("1 device, no bytes"))
            #expect(!list.contains("<bdi>\(Reason.attemptsExhausted.explanation)</bdi>"), "the heading says it")
        }
    }

    @Test(arguments: [true, false]) func `dead letters whose bytes are gone are not deleted with bytes`(hasBytes: Bool)
        async throws
    {
        let page = Self.question([try await Self.letter(hasBytes: hasBytes)])
        let user = DashboardUser(name: "alice", isOperator: true, token: .hash([]), formToken: "")
        let text = page.markup(Shell(user: user, now: ManualTime().now)).text
        #expect(text.contains("deleted for good with its bytes (") == hasBytes)
        #expect(text.contains("deleted for good; its bytes are gone already.") == !hasBytes)
    }

    @Test func `dead letters whose bytes are gone are not deleted with bytes by a browser that asks, either`()
        async throws
    {
        let (gone, kept) = (try await Self.letter(hasBytes: false), try await Self.letter(hasBytes: true))
        let words = LetterQuestionPage.question(.discard, [gone])
        #expect(words == "Delete 1 capture of 1 device for good? The bytes are gone already.")
        let some = LetterQuestionPage.question(.discard, [gone, kept], of: "both")
        #expect(some == "Delete both and the bytes for good?")
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.runLoggedIn { login async throws in
            for (page, name) in [("dead", "the chosen captures"), ("captures/\(dead[0])", "this capture")] {
                let question = "data-confirm=\"Delete \(name) for good? The bytes are gone already.\""
                #expect(try await login.get("/dashboard/\(page)").text.contains(question), "\(page)")
            }
        }
    }

    @Test func `a letter whose bytes are gone is counted among others only, when a redrive is asked about`()
        async throws
    {
        let (gone, kept) = (try await Self.letter(hasBytes: false), try await Self.letter(hasBytes: true))
        let doubt = "will end here again: as far as is known, the bytes are missing, or not those that were accepted."
        let alone = LetterQuestionPage.question(.redrive, [gone])
        #expect(alone == "Put back 1 capture of 1 device, with all attempts again? It \(doubt)")
        let both = LetterQuestionPage.question(.redrive, [gone, kept])
        #expect(both == "Put back 2 captures of 1 device, with all attempts again? 1 of them \(doubt)")
    }

    /// A backup may have brought them back, and the page does not look.
    @Test func `of bytes that a worker did not find no page says that they are gone`() async throws {
        var letter = try await Self.letter(hasBytes: false)
        letter.bytes = DeadLetter.Bytes(notLookedForAfter: .bundleMissing)
        let user = DashboardUser(name: "alice", isOperator: true, token: .hash([]), formToken: "")
        let text = Self.question([letter]).markup(Shell(user: user, now: ManualTime().now)).text
        #expect(text.contains("with its bytes, if those that a worker did not find were brought back since."))
        #expect(!text.contains("bytes are gone"))
        #expect(DeadPage.notFoundHint.text.contains("unless they were brought back since"))
    }

    /// The ledger may have it, and then a redrive puts it back.
    @Test func `of a letter whose job Redis has lost no page says that its bytes are gone`() async throws {
        var letter = try await Self.letter(hasBytes: false)
        (letter.bytes, letter.bundleStore, letter.photoBytes, letter.depthBytes) = (.unknown, nil, nil, nil)
        let user = DashboardUser(name: "alice", isOperator: true, token: .hash([]), formToken: "")
        let text = Self.question([letter]).markup(Shell(user: user, now: ManualTime().now)).text
        #expect(text.contains("deleted for good with its bytes (of unknown size)."))
        #expect(!letter.isRedriveInVain && DeadPage.lostHint.text.contains("as the ledger has it"))
    }
}
