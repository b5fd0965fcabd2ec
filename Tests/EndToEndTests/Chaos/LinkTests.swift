import ChaosKit
import Foundation
import TestSupport
import Testing

@Suite("Links between programs and servers can be cut, stalled and slowed down", .timeLimit(.minutes(2)))
struct LinkTests {
    private func withLink(_ body: (Link, PrivateRedis) async throws -> Void) async throws {
        let redis = try await PrivateRedis.start()
        let link = try await Link.open(to: redis.directory.appendingPathComponent("redis.sock").path)
        try await body(link, redis)
        await link.close()
    }

    private func ask(_ link: Link, _ words: String...) throws -> LeashedProcess {
        try LeashedProcess("redis-cli", ["-h", "127.0.0.1", "-p", "\(link.port)"] + words)
    }

    @Test func `questions and answers of any size pass`() async throws {
        try await withLink { link, redis in
            let value = String(repeating: "x", count: 100_000)
            #expect(try await ask(link, "SET", "large", value).exitCode() == 0)
            #expect(try await redis.cli("STRLEN", "large") == "100000")
            let answer = try ask(link, "GET", "large")
            #expect(try await answer.exitCode() == 0)
            #expect(answer.output.count == 100_000)
        }
    }

    @Test func `nothing passes a stalled link until it is restored`() async throws {
        try await withLink { link, redis in
            link.stall()
            let waiting = try ask(link, "SET", "key", "value")
            try await eventually { try await redis.cli("INFO", "clients").contains("connected_clients:2") }
            #expect(try await redis.cli("EXISTS", "key") == "0")
            link.restore()
            #expect(try await waiting.exitCode() == 0)
            #expect(try await redis.cli("GET", "key") == "value")
        }
    }

    /// A connection is closed by its event loop, a moment after it was cut.
    @Test func `what a cut link held up never arrives, however soon it is restored`() async throws {
        try await withLink { link, redis in
            for _ in 0..<200 {
                let connection = try RawConnection(port: link.port)
                try await connection.send("PING\r\n")
                #expect(try await connection.read { $0.hasSuffix("+PONG\r\n") } == "+PONG\r\n")
                link.stall([.toServer])
                try await connection.send("INCR leaked\r\n")
                link.cut()
                link.restore()
                connection.close()
            }
            #expect(try await ask(link, "PING").exitCode() == 0)
            #expect(try await redis.cli("EXISTS", "leaked") == "0")
        }
    }

    @Test func `with answers held up the server has done what nobody hears of`() async throws {
        try await withLink { link, redis in
            link.stall([.toProgram])
            let deaf = try ask(link, "SET", "key", "value")
            try await eventually { try await redis.cli("GET", "key") == "value" }
            link.cut()
            #expect(try await deaf.exitCode() != 0)
            link.restore()
            #expect(try await LeashedProcess.run("redis-cli", ["-p", "\(link.port)", "GET", "key"]).output == "value")
        }
    }

    @Test func `a slow link holds every piece back`() async throws {
        try await withLink { link, _ in
            link.slowDown(by: .milliseconds(200))
            let begun = ContinuousClock.now
            let code = try await ask(link, "PING").exitCode()
            #expect(code == 0)
            #expect(begun.duration(to: .now) >= .milliseconds(400))
        }
    }

    @Test func `a link to a server that is away takes connections and ends them`() async throws {
        try await withLink { link, redis in
            try await redis.kill()
            #expect(try await ask(link, "PING").exitCode() != 0)
            try await redis.restart()
            #expect(try await ask(link, "PING").exitCode() == 0)
        }
    }

    @Test func `a server's end is told at once to whoever waits for its answer`() async throws {
        try await withLink { link, redis in
            let waiting = try ask(link, "BLPOP", "nothing", "0")
            try await eventually { try await redis.cli("INFO", "clients").contains("blocked_clients:1") }
            try await redis.kill()
            #expect(try await waiting.exitCode() != 0)
        }
    }

    @Test(arguments: [false, true])
    func `PostgreSQL's end is told at once to whoever waits for its answer`(killed: Bool) async throws {
        let postgres = try await PrivatePostgres.start()
        let link = try await Link.open(to: postgres.directory.appendingPathComponent(".s.PGSQL.5432").path)
        let waiting = try LeashedProcess(
            "psql", ["host=127.0.0.1 port=\(link.port) user=capture dbname=postgres", "-c", "SELECT pg_sleep(600)"]
        )
        try await eventually {
            try await postgres.psql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%sleep(600)'") == "1"
        }
        if killed { try await postgres.kill() } else { try await postgres.stop() }
        #expect(try await waiting.exitCode() != 0)
        await link.close()
    }
}
