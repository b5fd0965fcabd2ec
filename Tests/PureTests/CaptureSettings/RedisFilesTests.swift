import Foundation
import RedisClient
import TestSupport
import Testing

@testable import CaptureSettings

@Suite("The files for a Redis with TLS", .timeLimit(.minutes(1)))
struct RedisFilesTests {
    /// Two certificates, each with its key.
    private static let files = Once<LeashedDirectory> {
        let home = try LeashedDirectory("redis-files")
        let folder = home.url
        for name in ["own", "other"] {
            let path = folder.appendingPathComponent(name).path
            let run = try await LeashedProcess.run(
                "openssl",
                [
                    "req", "-x509", "-days", "2", "-subj", "/CN=\(name)", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(path).key", "-out", "\(path).pem",
                ])
            try #require(run.exitCode == 0, "\(run.output)")
        }
        return home
    }

    private func configuration(certificate: String, key: String) async throws -> RedisConfiguration {
        let folder = try await Self.files.value().url
        let files = [("roots", "own.pem"), ("certificate", certificate), ("key", key)]
        let settings = try await Settings(
            arguments: ["--redis-url", "rediss://redis.example"]
                + files.flatMap { ["--redis-tls-\($0)", folder.appendingPathComponent($1).path] },
            environment: [:])
        return try settings.redisConfiguration(name: "test")
    }

    @Test func `the files for a Redis with TLS arrive where connections are made`() async throws {
        let tls = try #require(try await configuration(certificate: "own.pem", key: "own.key").tls)
        let folder = try await Self.files.value().url.path
        #expect(tls.rootsFile == "\(folder)/own.pem" && tls.certificateFile == "\(folder)/own.pem")
        #expect(tls.privateKeyFile == "\(folder)/own.key")
    }

    @Test(arguments: [
        ("own.pem", "none.key", "redis.tlsKey", "none.key"), ("own.pem", "own.pem", "redis.tlsKey", "own.pem"),
        ("own.pem", "other.key", "redis.tlsKey", "other.key"),
        ("none.pem", "own.key", "redis.tlsCertificate", "none.pem"),
        ("own.key", "own.key", "redis.tlsCertificate", "own.key"),
    ])
    func `the files for a Redis with TLS are named with their setting where they cannot be used`(
        certificate: String, key: String, setting: String, file: String
    ) async throws {
        let error = await #expect(throws: SettingsError.self) {
            _ = try await configuration(certificate: certificate, key: key)
        }
        let path = try await Self.files.value().url.appendingPathComponent(file).path
        #expect(error?.description.hasPrefix("\(setting): \(path) ") == true, "\(error?.description ?? "")")
    }
}
