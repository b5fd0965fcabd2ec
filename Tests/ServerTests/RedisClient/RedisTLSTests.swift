import Foundation
import Logging
import NIOCore
import RedisClient
import TestSupport
import Testing

@Suite("Redis over TLS", .timeLimit(.minutes(5)))
struct RedisTLSTests {
    @Test func `a certificate of the private authority for this host is accepted`() async throws {
        try await PrivateRedis.withTLS(name: "DNS:localhost") { files, port, _ async throws in
            try await RedisFixture.withClient("rediss://localhost:\(port)") {
                $0.tls?.rootsFile = files.path("ca.pem")
            } _: { redis in
                let value = RedisArgument.bytes(Array(repeating: 7, count: 3 << 20))
                _ = try await redis.send(RedisCommand("SET", ["large", value]))
                #expect(try await redis.send(RedisCommand("GET", ["large"])).buffer?.readableBytes == 3 << 20)
            }
        }
    }

    @Test(arguments: [("DNS:redis.example", "localhost"), ("DNS:localhost", "127.0.0.1")])
    func `a certificate for another host is refused, and told as critical`(name: String, host: String) async throws {
        try await PrivateRedis.withTLS(name: name) { files, port, _ in
            let log = LogRecorder()
            try await RedisFixture.withClient("rediss://\(host):\(port)", logger: log.logger) {
                $0.tls?.rootsFile = files.path("ca.pem")
                $0.sendTimeout = .milliseconds(500)
            } _: { redis in
                await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
                await #expect(throws: RedisError(.connection, "")) { _ = try await redis.openConnection() }
                try await eventually { log.lines.contains { $0.hasPrefix("critical Redis is not reachable by TLS") } }
                #expect(log.values(of: "fault").contains("TLS: the certificate is for another host"))
            }
        }
    }

    @Test func `an address in the certificate is verified as an address`() async throws {
        try await PrivateRedis.withTLS(name: "IP:127.0.0.1") { files, port, _ in
            try await RedisFixture.withClient("rediss://127.0.0.1:\(port)") {
                $0.tls?.rootsFile = files.path("ca.pem")
            } _: { redis in
                try await redis.ping()
            }
        }
    }

    /// TLS has one word for both, so the words name both.
    @Test(arguments: [(false, 2), (true, -1)])
    func `an authority that is not trusted and a certificate that has expired are refused, and told in words`(
        isTrusted: Bool, serverDays: Int
    ) async throws {
        try await PrivateRedis.withTLS(name: "DNS:localhost", serverDays: serverDays) { files, port, _ in
            try await RedisFixture.withClient("rediss://localhost:\(port)") {
                if isTrusted { $0.tls?.rootsFile = files.path("ca.pem") }
                $0.reconnectGrace = .milliseconds(500)
            } _: { redis in
                // The first may be over before a busy server has shown its certificate.
                try await eventually {
                    let fault = await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
                    let words = "no connection: TLS: the certificate has expired, is not valid yet, or leads to no "
                    return fault?.message.hasPrefix(words) == true
                }
            }
        }
    }

    @Test func `a server that asks for a client certificate gets it`() async throws {
        try await PrivateRedis.withTLS(name: "DNS:localhost", asksForClient: true) { files, port, _ in
            try await RedisFixture.withClient("rediss://localhost:\(port)") {
                $0.tls?.rootsFile = files.path("ca.pem")
                $0.tls?.certificateFile = files.path("client.pem")
                $0.tls?.privateKeyFile = files.path("client.key")
            } _: { redis in
                try await redis.ping()
            }
            try await RedisFixture.withClient("rediss://localhost:\(port)") {
                $0.tls?.rootsFile = files.path("ca.pem")
            } _: { redis in
                await #expect(throws: RedisError(.connection, "")) { _ = try await redis.openConnection() }
            }
        }
    }

    /// Certificates are renewed while programs run, and authorities now and then.
    @Test func `files that are renewed count from the next connection on`() async throws {
        try await PrivateRedis.withTLS(name: "DNS:localhost", asksForClient: true) { files, port, server async throws in
            let renewed = try await TestCertificates.make(serverName: "DNS:localhost")
            defer { renewed.remove() }
            try await withCertificate(files, port) { redis in
                try await redis.ping()
                try await server.cli(
                    "CONFIG", "SET", "tls-cert-file", renewed.path("server.pem"), "tls-key-file",
                    renewed.path("server.key"), "tls-ca-cert-file", renewed.path("ca.pem"))
                for name in ["ca.pem", "client.pem", "client.key"] { try files.replace(name, by: renewed) }
                try await server.cli("CLIENT", "KILL", "TYPE", "normal")
                try await eventually { await isThere(redis) }
                _ = try await redis.openConnection()
            }
        }
    }

    @Test func `renewed files that cannot be used leave the ones before, which is told once`() async throws {
        try await PrivateRedis.withTLS(name: "DNS:localhost", asksForClient: true) { files, port, server async throws in
            let log = LogRecorder()
            try await withCertificate(files, port, logger: log.logger) { redis in
                try await redis.ping()
                try Data("no certificate".utf8).write(to: URL(filePath: files.path("client.pem")))
                for _ in 0..<3 {
                    let connection = try await redis.openConnection()
                    await connection.close()
                }
                let critical = log.lines.filter { $0.hasPrefix("critical") }
                #expect(critical.count == 1 && critical[0].contains("new TLS files"))
                #expect(log.values(of: "fault").contains { $0.contains(files.path("client.pem")) })
            }
        }
    }

    /// Redis looks at the certificate only after the client counts the handshake as done.
    @Test func `a certificate that is not accepted is told as critical`() async throws {
        try await PrivateRedis.withTLS(name: "DNS:localhost", asksForClient: true) { files, port, _ async throws in
            let other = try await TestCertificates.make(serverName: "DNS:localhost")
            defer { other.remove() }
            for name in ["client.pem", "client.key"] { try files.replace(name, by: other) }
            let log = LogRecorder()
            try await withCertificate(files, port, logger: log.logger) { _ in
                try await eventually { log.lines.contains { $0.hasPrefix("critical Redis is not reachable by TLS") } }
                #expect(log.values(of: "fault").contains { $0.contains("TLS: ") })
            }
        }
    }

    private func isThere(_ redis: RedisClient) async -> Bool {
        do throws(RedisError) {
            try await redis.ping()
            return true
        } catch {
            return false
        }
    }

    /// Runs a client that has a certificate.
    private func withCertificate(
        _ files: TestCertificates, _ port: Int, logger: Logger = .quiet, _ body: (RedisClient) async throws -> Void
    ) async throws {
        try await RedisFixture.withClient("rediss://localhost:\(port)", logger: logger) {
            $0.tls?.rootsFile = files.path("ca.pem")
            $0.tls?.certificateFile = files.path("client.pem")
            $0.tls?.privateKeyFile = files.path("client.key")
        } _: { redis in
            try await body(redis)
        }
    }

    @Test func `a TLS server that falls silent is given up as any other`() async throws {
        try await PrivateRedis.withTLS(name: "DNS:localhost") { files, port, server in
            try await RedisFixture.withClient("rediss://localhost:\(port)") {
                $0.tls?.rootsFile = files.path("ca.pem")
                $0.commandTimeout = .milliseconds(300)
            } _: { redis in
                try await eventually { redis.isConnected }
                server.signal(SIGSTOP)
                defer { server.signal(SIGCONT) }
                await #expect(throws: RedisError(.timeout, "")) { try await redis.ping() }
            }
        }
    }

    @Test func `a client without TLS gets no answer from a TLS server`() async throws {
        try await PrivateRedis.withTLS(name: "DNS:localhost") { _, port, _ in
            try await RedisFixture.withClient("redis://localhost:\(port)") { redis in
                await #expect(throws: RedisError(.connection, "")) { _ = try await redis.openConnection() }
            }
        }
    }

    @Test func `the python example speaks TLS, and to nobody whom it cannot verify`() async throws {
        let script = """
            import sys; sys.path.insert(0, sys.argv[1])
            from enqueue import Address, Redis
            print(Redis(Address(sys.argv[2]), 60).call("PING").decode())
            """
        let examples = Repository.directory.appendingPathComponent("Config/deploy/examples").path
        try await PrivateRedis.withTLS(name: "DNS:localhost") { files, port, _ async throws in
            func ping(_ roots: [String: String]) async throws -> String {
                try await LeashedProcess.run(
                    "python3", ["-c", script, examples, "rediss://localhost:\(port)"],
                    environment: roots.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
                ).output
            }
            #expect(try await ping(["SSL_CERT_FILE": files.path("ca.pem")]) == "PONG")
            #expect(try await ping([:]).contains("CERTIFICATE_VERIFY_FAILED"))
        }
    }

    @Test func `a missing file is told before anything is connected`() async throws {
        await #expect(throws: RedisError(.configuration, "")) {
            try await RedisFixture.withClient("rediss://localhost:1") {
                $0.tls?.rootsFile = "/nonexistent/ca.pem"
            } _: { redis in
                _ = try await redis.openConnection()
            }
        }
    }
}
