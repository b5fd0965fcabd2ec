import CaptureModel
import CaptureQueue
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Guesses of tokens` {
    private static let guesser = "192.0.2.66"
    private static let holder = "198.51.100.7"

    /// A gateway behind a trusted proxy that takes three guesses a minute.
    private static func fixture() throws -> GatewayFixture {
        var fixture = try GatewayFixture().withOperators()
        fixture.configuration.rates.loginLimit = 3
        fixture.configuration.connections.trustedProxies = ["127.0.0.0/8"]
        return fixture
    }

    private static func ask(
        _ gateway: GatewayCaller, _ path: String = "/api/v1/queue", token: String, from address: String
    ) async throws -> GatewayCaller.Answer {
        try await gateway.send(
            .GET, path, headers: ["Authorization": "Bearer \(token)", "X-Forwarded-For": address])
    }

    @Test(arguments: [
        "/api/v1/queue", "/api/v1/rollout", "/api/v1/devices", "/api/v1/captures", "/api/v1/events",
        "/api/v1/captures/01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d",
    ])
    func `guesses of tokens end after as many as there may be logins, whatever is asked for`(path: String) async throws
    {
        try await Self.fixture().run { gateway in
            for number in 1...3 {
                let answer = try await Self.ask(gateway, path, token: "guess \(number)", from: Self.guesser)
                #expect(answer.status == 401)
            }
            let late = try await Self.ask(gateway, path, token: "guess 4", from: Self.guesser)
            #expect(late.status == 429 && late.code == "RATE_LIMITED")
            #expect(late.headers.first(name: "Retry-After") == "60")
        }
    }

    @Test func `guesses of tokens are none where the right one comes behind two blanks`() async throws {
        try await Self.fixture().run { gateway in
            for _ in 1...4 {
                let answer = try await Self.ask(gateway, token: " \(GatewayFixture.operatorToken)", from: Self.guesser)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `guesses of tokens beyond the limit tell nothing of the right token, and others are not held up`()
        async throws
    {
        let fixture = try Self.fixture()
        try await fixture.run { gateway in
            for number in 1...4 {
                _ = try await Self.ask(gateway, token: "guess \(number)", from: Self.guesser)
            }
            let right = GatewayFixture.operatorToken
            #expect(try await Self.ask(gateway, token: right, from: Self.guesser).status == 429)
            #expect(try await Self.ask(gateway, token: right, from: Self.holder).status == 200)
            fixture.time.advance(by: .seconds(60))
            #expect(try await Self.ask(gateway, token: right, from: Self.guesser).status == 200)
        }
    }

    @Test func `guesses of tokens keep nobody at the same address from logging in`() async throws {
        var fixture = try Self.fixture()
        fixture.configuration.connections.trustedProxies = []
        try await fixture.run { gateway in
            for _ in 1...4 { _ = try await Self.ask(gateway, token: "guess", from: Self.guesser) }
            #expect(try await Self.ask(gateway, token: GatewayFixture.readToken, from: Self.holder).status == 429)
            let login = try await DashboardLogin(gateway)
            #expect(try await login.get("/dashboard").status == 200)
        }
    }

    @Test func `guesses of tokens do not keep a token out that was right from the same address before`() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { gateway async throws in
            let (used, other) = (GatewayFixture.readToken, GatewayFixture.operatorToken)
            #expect(try await Self.ask(gateway, token: used, from: Self.guesser).status == 200)
            for _ in 0..<4 { _ = try await Self.ask(gateway, token: "guess", from: Self.guesser) }
            #expect(try await Self.ask(gateway, token: other, from: Self.guesser).status == 429)
            #expect(try await Self.ask(gateway, token: used, from: Self.guesser).status == 200)
        }
    }

    @Test func `guesses of tokens keep nobody out for the time by which the clock is set back`() async throws {
        let fixture = try GatewayFixture()
        var dependencies = fixture.dependencies
        dependencies.limiter = FullLimiter()
        let guesses = TokenGuesses(rates: fixture.configuration.rates, dependencies: dependencies)
        await #expect(throws: APIError.self) { try await guesses.note("a") }
        #expect(throws: APIError.self) { try guesses.admit("a", .hash([])) }
        fixture.time.advance(by: .seconds(-3600))
        try guesses.admit("a", .hash([]))
    }

    @Test func `guesses of tokens are not counted where the token is right`() async throws {
        try await Self.fixture().run { gateway in
            for _ in 0..<8 {
                let answer = try await Self.ask(gateway, token: GatewayFixture.readToken, from: Self.holder)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `guesses of tokens cannot be many at once`() async throws {
        let fixture = try GatewayFixture()
        let limiter = HeldLimiter()
        var dependencies = fixture.dependencies
        dependencies.limiter = limiter
        let guesses = TokenGuesses(rates: fixture.configuration.rates, dependencies: dependencies)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<fixture.configuration.rates.loginLimit {
                try guesses.admit("a", .hash([]))
                group.addTask { try await guesses.note("a") }
            }
            try await eventually { limiter.count == fixture.configuration.rates.loginLimit }
            // Before anybody has told how many there were.
            let refused = #expect(throws: APIError.self) { try guesses.admit("a", .hash([])) }
            #expect(refused?.code == .rateLimited)
            try guesses.admit("b", .hash([]))
            limiter.latch.open()
            try await group.waitForAll()
        }
        try guesses.admit("a", .hash([]))
    }

    @Test
    func `guesses of tokens of more clients than are remembered are forgotten for the first ones, not for the latest`()
        async throws
    {
        let fixture = try GatewayFixture()
        var dependencies = fixture.dependencies
        dependencies.limiter = FullLimiter()
        let guesses = TokenGuesses(rates: fixture.configuration.rates, dependencies: dependencies)
        let clients = (0...TokenGuesses.refusalsMax).map { "client \($0)" }
        for client in clients {
            let refused = await #expect(throws: APIError.self) { try await guesses.note(client) }
            try #require(refused?.code == .rateLimited, "\(client)")
        }
        for client in [clients[TokenGuesses.refusalsMax], clients[1]] {
            let refused = #expect(throws: APIError.self) { try guesses.admit(client, .hash([])) }
            #expect(refused?.code == .rateLimited)
        }
        try guesses.admit(clients[0], .hash([]))
    }

    @Test func `guesses of tokens are refused while nobody can count them, and the right token is not`() async throws {
        var fixture = try Self.fixture()
        fixture.dependencies.limiter = AwayLimiter()
        try await fixture.run { gateway async throws in
            #expect(try await Self.ask(gateway, token: "guess", from: Self.guesser).status == 503)
            #expect(try await Self.ask(gateway, token: GatewayFixture.readToken, from: Self.guesser).status == 200)
        }
    }

    /// Says nothing before a test lets it.
    private final class HeldLimiter: RateLimiter {
        let latch = Latch()
        private let calls = Mutex(0)

        var count: Int { calls.withLock { $0 } }

        func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision {
            calls.withLock { $0 += 1 }
            do { try await latch.waitUntilOpen() } catch { throw QueueError(.unavailable, "cancelled") }
            return .allowed
        }

        func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool { true }
    }

    private struct FullLimiter: RateLimiter {
        func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision {
            .limited(retryAfter: window)
        }

        func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool { true }
    }

    private struct AwayLimiter: RateLimiter {
        func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision {
            throw QueueError(.unavailable, "away")
        }

        func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool {
            throw QueueError(.unavailable, "away")
        }
    }
}
