import CaptureModel
import Foundation
import PrivateServers
import TestSupport
import Testing

@testable import CaptureSettings

@Suite("The ends of certificates that settings name", .timeLimit(.minutes(1)))
struct NamedCertificatesTests {
    /// `soon` ends in ten days and `late` in four hundred; `renewed` is `soon` with a later end, `both` the first two.
    private static let files = Once<LeashedDirectory> {
        let home = try LeashedDirectory("certificates")
        func path(_ name: String) -> String { home.url.appendingPathComponent(name).path }
        for (name, authority, days) in [("soon", "soon", "10"), ("late", "late", "400"), ("renewed", "soon", "400")] {
            let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            let file = path("\(authority).key")
            let key = name == authority ? curve + ["-keyout", file] : ["-key", file]
            let run = try await LeashedProcess.run(
                "openssl",
                ["req", "-x509", "-days", days, "-subj", "/CN=\(authority)", "-out", path("\(name).pem")] + key)
            try #require(run.exitCode == 0, "\(run.output)")
        }
        let both = try ["soon.pem", "late.pem"].map { try Data(contentsOf: home.url.appendingPathComponent($0)) }
        try Data(both.joined()).write(to: home.url.appendingPathComponent("both.pem"))
        return home
    }

    /// What is told of a file in each setting, days from now.
    private func toldOf(_ variable: String, _ value: (String) -> String, days: Int = 0) async throws -> [String] {
        let folder = try await Self.files.value().url.path
        let settings = try await Settings(
            arguments: [], environment: SettingsTests.minimum.merging([variable: value(folder)]) { $1 })
        let now = Timestamp.systemTime().advanced(by: .seconds(days * 86_400))
        let ending = settings.namedCertificates().ending(at: now)
        #expect(ending.allSatisfy { $0.gravity == .precaution && $0.needed == "renewed" })
        return ending.map { $0.setting.replacing("\(folder)/", with: "") }
    }

    @Test(arguments: [("soon", true), ("late", false), ("both", true), ("none", false)])
    func `a certificate for Redis is told of in the two weeks before its end and from then on`(
        name: String, isTold: Bool
    ) async throws {
        for days in [0, 20] {
            let told = try await toldOf("CAPTURE_REDIS_TLS_CERTIFICATE", { "\($0)/\(name).pem" }, days: days)
            #expect(told == (isTold ? ["redis.tlsCertificate"] : []))
        }
        #expect(try await toldOf("CAPTURE_REDIS_TLS_CERTIFICATE", { "\($0)/\(name).pem" }, days: -10).isEmpty)
    }

    /// A new authority stands beside the old one before servers get certificates of it.
    @Test(arguments: [("soon", true), ("late", false), ("both", false)])
    func `authorities for Redis are told of when the last of them ends`(name: String, isTold: Bool) async throws {
        let told = try await toldOf("CAPTURE_REDIS_TLS_ROOTS") { "\($0)/\(name).pem" }
        #expect(told == (isTold ? ["redis.tlsRoots"] : []))
    }

    @Test func `a certificate is told of by its end, until its file has another`() async throws {
        let folder = try TemporaryDirectory.make("renewed")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (made, file) = (try await Self.files.value().url, folder.appendingPathComponent("own.pem"))
        func put(_ name: String) throws { try Data(contentsOf: made.appendingPathComponent(name)).write(to: file) }
        try put("soon.pem")
        let environment = SettingsTests.minimum.merging(["CAPTURE_REDIS_TLS_CERTIFICATE": file.path]) { $1 }
        let certificates = try await Settings(arguments: [], environment: environment).namedCertificates()
        let now = Timestamp.systemTime()
        let told = try #require(certificates.ending(at: now).first)
        let end = try #require(Timestamp(rfc3339: (told.value ?? "").replacing("good until ", with: "")))
        let left = end.since(now)
        #expect(left <= .seconds(10 * 86_400) && left > .seconds(10 * 86_400 - 3_600), "\(told)")
        try put("late.pem")
        #expect(certificates.ending(at: now).isEmpty)
    }

    @Test(
        arguments: [
            ("host=db sslmode=verify-full", ["sslrootcert in postgres.url", "sslcert in postgres.url"]),
            ("host=db sslmode=disable", []), ("host=/run/postgresql", []),
        ] as [(String, [String])])
    func `certificates for PostgreSQL are told of where it is reached by TLS`(
        server: String, expected: [String]
    ) async throws {
        let told = try await toldOf("CAPTURE_POSTGRES_URL") {
            "\(server) sslrootcert=\($0)/soon.pem sslcert=\($0)/soon.pem"
        }
        #expect(told == expected)
    }

    @Test(arguments: [
        ("verify-full", "no new connection is made from then on"),
        ("prefer", "new connections are made without TLS from then on"),
    ])
    func `what the end of PostgreSQL's certificate means goes by how much TLS it has to be`(
        mode: String, consequence: String
    ) async throws {
        let folder = try await Self.files.value().url.path
        let conninfo = "host=db sslmode=\(mode) sslrootcert=\(folder)/soon.pem"
        let settings = try await Settings(
            arguments: [], environment: SettingsTests.minimum.merging(["CAPTURE_POSTGRES_URL": conninfo]) { $1 })
        let ending = settings.namedCertificates().ending(at: Timestamp.systemTime())
        #expect(ending.map(\.consequence) == [consequence])
    }

    /// What is long past its end is there for the devices that it has attested.
    @Test(
        arguments: [
            (["soon"], 0, ["soon.pem in app.roots"]), (["soon"], 20, ["soon.pem in app.roots"]), (["soon"], 25, []),
            (["soon", "late"], 0, ["soon.pem in app.roots"]), (["soon", "renewed"], 0, []), (["late", "none"], 0, []),
        ] as [([String], Int, [String])])
    func `a root of attestations is told of two weeks before and after its end, unless its renewed one is there`(
        names: [String], days: Int, expected: [String]
    ) async throws {
        let told = try await toldOf(
            "CAPTURE_APP_ROOTS", { folder in names.map { "\(folder)/\($0).pem" }.joined(separator: ",") }, days: days)
        #expect(told == expected)
    }
}
