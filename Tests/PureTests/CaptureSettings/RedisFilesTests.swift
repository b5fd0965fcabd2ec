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

    struct Case: Sendable {
        let certificate: String
        let key: String
        let setting: String
        let words: String
    }

    private static let cases = [
        Case(
            certificate: "own.pem", key: "none.key", setting: "redis.tlsKey",
            words: "none.key cannot be used: No such file or directory"),
        Case(
            certificate: "own.pem", key: "own.pem", setting: "redis.tlsKey",
            words: "own.pem cannot be used: it holds no private key in PEM form, or one behind a passphrase"),
        Case(
            certificate: "own.pem", key: "other.key", setting: "redis.tlsKey",
            words: "other.key does not go with the certificate: "),
        Case(
            certificate: "none.pem", key: "own.key", setting: "redis.tlsCertificate",
            words: "none.pem cannot be used: No such file or directory"),
        Case(
            certificate: "own.key", key: "own.key", setting: "redis.tlsCertificate",
            words: "own.key cannot be used: it holds no certificate in PEM form, or a broken one"),
    ]

    @Test(arguments: cases)
    func `a file for a Redis with TLS that cannot be used is named with its setting and what is wrong`(
        _ example: Case
    ) async throws {
        let error = await #expect(throws: SettingsError.self) {
            _ = try await configuration(certificate: example.certificate, key: example.key)
        }
        let folder = try await Self.files.value().url.path
        let words = error?.description ?? ""
        #expect(words.hasPrefix("\(example.setting): \(folder)/\(example.words)"), "\(words)")
    }
}
