import Foundation
import TestSupport
import Testing

@Suite("The tests' own servers", .timeLimit(.minutes(2)))
struct PrivateServerTests {
    @Test func `a server's directory stays over its restarts and goes with its owner`() async throws {
        func use(_ redis: PrivateRedis) async throws -> String {
            try await redis.kill()
            try await redis.restart()
            #expect(try await redis.cli("SET", "key", "value") == "OK")
            return redis.directory.path
        }
        let path = try await use(try await PrivateRedis.start())
        try await eventually { !FileManager.default.fileExists(atPath: path) }
    }

    /// Whoever reaches its socket is its superuser.
    @Test func `no other user of the machine gets at a PostgreSQL, nor into its folder`() async throws {
        let postgres = try await PrivatePostgres.start()
        let paths = [postgres.directory.path, postgres.directory.path + "/.s.PGSQL.\(postgres.port)"]
        for path in paths {
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(permissions.map { $0 & 0o777 } == 0o700, "\(path)")
        }
        try await postgres.stop()
    }
}
