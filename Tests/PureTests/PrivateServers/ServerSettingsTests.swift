import Foundation
import PrivateServers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `Private servers` {
    /// What is read of a file with a text.
    private func settings(_ text: String, read: (String) throws -> [String]) throws -> [String] {
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "server.conf").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return try read(path)
    }

    @Test func `a setting of Redis is words, and an empty value one of them`() throws {
        let text = "# why\nappendonly yes\n\nsave \"\"\nclient-output-buffer-limit replica 1gb 512mb 120\n"
        let settings = try settings(text) { try ServerSettings.redis(file: $0) }
        #expect(
            settings == [
                "--appendonly", "yes", "--save", "", "--client-output-buffer-limit", "replica", "1gb", "512mb", "120",
            ])
    }

    @Test func `a setting of PostgreSQL is one argument, without its quotes`() throws {
        let settings = try settings("fsync = on\n# off\ntimezone = 'UTC'\njit=off\n") {
            try ServerSettings.postgres(file: $0)
        }
        #expect(settings == ["fsync=on", "timezone=UTC", "jit=off"])
    }

    @Test func `the settings of production are read`() throws {
        let config = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Config").path
        #expect(try ServerSettings.redis(file: "\(config)/redis.conf").starts(with: ["--appendonly", "yes"]))
        let postgres = try ServerSettings.postgres(file: "\(config)/postgresql.conf")
        // The DETAIL of an error would show rows in the server's log.
        #expect(postgres.contains("synchronous_commit=on") && postgres.contains("log_error_verbosity=terse"))
    }

    @Test func `a port is given once, and is none that a system gives to connections`() throws {
        let ports = try (0..<1_000).map { _ in try FreePort.take() }
        #expect(Set(ports).count == ports.count)
        #expect(ports.allSatisfy { (1024..<32_768).contains($0) })
    }
}
