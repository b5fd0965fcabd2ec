import CaptureModel
import Crypto
import DeviceSimulator
import Foundation
import TestSupport
import Testing

/// The contract of `capturectl attestation verify` and `capturectl assertion verify`.
@Suite(.timeLimit(.minutes(3))) struct `Verification from the command line` {
    private static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    private static let at = "2026-09-21T14:13:20Z"
    private static let appID = "TEAM123456.org.example.camera"

    /// One device's evidence, in base64, and a file with the root.
    private struct Evidence {
        let directory = try? TemporaryDirectory.make("verify")
        let challenge = Data("challenge".utf8)
        let clientData = Data(#"{"capture":1}"#.utf8)
        let device: SimulatedDevice
        let authority: TestCertificateAuthority
        let attestation: Data
        let assertion: Data

        init(_ device: SimulatedDevice = SimulatedDevice(appID: appID)) throws {
            self.device = device
            authority = try TestCertificateAuthority(at: moment)
            attestation = Data(
                try device.attest(
                    clientDataHash: Array(SHA256.hash(data: challenge)), authority: authority, at: moment))
            assertion = Data(try device.assertion(clientDataHash: Array(SHA256.hash(data: clientData))))
            try Data(authority.rootPEM.utf8).write(to: file("root.pem"))
        }

        func file(_ name: String) throws -> URL { try #require(directory).appendingPathComponent(name) }

        func attestationArguments(_ extra: [String] = []) throws -> [String] {
            [
                "attestation", "verify", "--app-id", "TEAM123456.org.example.other", "--app-id", appID,
                "--key-id", Data(device.keyID.bytes).base64EncodedString(), "--at", at,
                "--root", try file("root.pem").path,
            ] + extra
        }

        func assertionArguments(_ extra: [String] = []) -> [String] {
            [
                "assertion", "verify", "--app-id", appID, "--public-key", Data(device.publicKey).base64EncodedString(),
                "--assertion", assertion.base64EncodedString(), "--client-data", clientData.base64EncodedString(),
            ] + extra
        }

        func remove() { if let directory { try? FileManager.default.removeItem(at: directory) } }
    }

    /// What is told of an attestation that is accepted.
    private static func answer(about evidence: Evidence) async throws -> [String: Any] {
        let run = try await CommandLineRun(
            evidence.attestationArguments([
                "--attestation", evidence.attestation.base64EncodedString(),
                "--challenge", evidence.challenge.base64EncodedString(),
            ]))
        #expect(run.exitCode == 0, "\(run.errors)")
        return try #require(try run.objects().first)
    }

    @Test func `an attestation is accepted, and everything learned is printed`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let answer = try await Self.answer(about: evidence)
        #expect(answer["verdict"] as? String == "accepted")
        #expect(answer["reason"] is NSNull && answer["step"] is NSNull)
        #expect(answer["environment"] as? String == "production")
        #expect(answer["counter"] as? Int == 0)
        #expect(answer["public_key"] as? String == Data(evidence.device.publicKey).base64EncodedString())
        #expect(answer["key_id"] as? String == Data(evidence.device.keyID.bytes).base64EncodedString())
        #expect(answer["app_id"] as? String == Self.appID)
        #expect(answer["os_version"] as? String == "27.0")
        #expect(answer["validation_category"] as? Int == 4)
        #expect(answer["bundle_version"] as? String == "1314")
        #expect(answer["leaf_not_before"] as? String == "2026-09-20T14:13:20.000Z")
        #expect(answer["leaf_not_after"] as? String == "2026-09-23T14:13:20.000Z")
        #expect(((answer["trust_root"] as? [String: Any])?["sha256"] as? String)?.count == 64)
    }

    /// As a gateway registers its device.
    @Test func `a certified text with U+0000 is printed as absent`() async throws {
        let evidence = try Evidence(
            SimulatedDevice(
                appID: Self.appID, statements: AppExtensions(bundleVersion: "1314\0"), systemVersion: "27\0.0"))
        defer { evidence.remove() }
        let answer = try await Self.answer(about: evidence)
        #expect(answer["verdict"] as? String == "accepted" && answer["validation_category"] as? Int == 4)
        #expect(answer["os_version"] is NSNull && answer["bundle_version"] is NSNull)
    }

    @Test func `files hold bytes or base64, and base64url without padding is base64 too`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let (raw, text) = (try evidence.file("attestation.cbor"), try evidence.file("attestation.txt"))
        try evidence.attestation.write(to: raw)
        try Data((evidence.attestation.base64EncodedString(options: .lineLength76Characters) + "\n").utf8).write(
            to: text)
        let challenge = try evidence.file("challenge")
        try evidence.challenge.write(to: challenge)
        let url = evidence.attestation.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        for value in ["@\(raw.path)", "@\(text.path)", url] {
            let run = try await CommandLineRun(
                evidence.attestationArguments(["--attestation", value, "--challenge", "@\(challenge.path)"]))
            #expect(run.exitCode == 0, "\(run.errors)")
        }
    }

    @Test func `a file may be a pipe`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let raw = try evidence.file("attestation.cbor")
        try evidence.attestation.write(to: raw)
        let script = #"mkfifo "$1.fifo"; cat "$1" >"$1.fifo" & shift; exec "$@""#
        let arguments = try evidence.attestationArguments([
            "--attestation", "@\(raw.path).fifo", "--challenge", evidence.challenge.base64EncodedString(),
        ])
        let run = try await LeashedProcess.run(
            "sh", ["-c", script, "sh", raw.path, Programs.path("capturectl")] + arguments)
        #expect(run.exitCode == 0, "\(run.output)")
    }

    @Test func `a rejection names reason and step and exits with 1`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let run = try await CommandLineRun(
            evidence.attestationArguments([
                "--attestation", evidence.attestation.base64EncodedString(), "--client-data-hash", "AAAA",
            ]))
        #expect(run.exitCode == 1)
        let answer = try #require(try run.objects().first)
        #expect(answer["verdict"] as? String == "rejected")
        #expect(answer["reason"] as? String == "NONCE_MISMATCH")
        #expect(answer["step"] as? Int == 8)
        #expect(answer["detail"] is String)
    }

    /// Apple's samples of attestations have their challenge as it is in place of a clientDataHash.
    @Test func `a clientDataHash is of any length for an attestation, and a SHA-256 for an assertion`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let challenge = Array("example_server_challenge".utf8)
        let hash = ["--client-data-hash", Data(challenge).base64EncodedString()]
        let attestation = try evidence.device.attest(
            clientDataHash: challenge, authority: evidence.authority, at: Self.moment)
        let taken = try await CommandLineRun(
            evidence.attestationArguments(["--attestation", Data(attestation).base64EncodedString()] + hash))
        #expect(taken.exitCode == 0, "\(taken.output) \(taken.errors)")
        let assertion = try evidence.device.assertion(clientDataHash: challenge)
        let refused = try await CommandLineRun(
            [
                "assertion", "verify", "--app-id", Self.appID, "--public-key",
                Data(evidence.device.publicKey).base64EncodedString(), "--assertion",
                Data(assertion).base64EncodedString(),
            ] + hash)
        #expect(refused.exitCode == 1)
        let answer = try #require(try refused.objects().first)
        #expect(answer["reason"] as? String == "CLIENT_DATA_HASH_LENGTH" && answer["step"] as? Int == 3)
    }

    @Test func `an assertion is accepted or rejected by its counter`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let plain = try await CommandLineRun(evidence.assertionArguments())
        #expect(plain.exitCode == 0, "\(plain.errors)")
        #expect(try plain.objects().first?["counter"] as? Int == 1)
        let rising = try await CommandLineRun(evidence.assertionArguments(["--previous-counter", "0"]))
        #expect(rising.exitCode == 0)
        let replayed = try await CommandLineRun(evidence.assertionArguments(["--previous-counter", "1"]))
        #expect(replayed.exitCode == 1)
        #expect(try replayed.objects().first?["reason"] as? String == "COUNTER_NOT_GREATER")
    }

    @Test func `lines are answered in order, and a bad one does not end the run`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let good: [String: Any] = [
            "id": 7, "app_id": Self.appID, "public_key": Data(evidence.device.publicKey).base64EncodedString(),
            "assertion": evidence.assertion.base64EncodedString(),
            "client_data": evidence.clientData.base64EncodedString(),
        ]
        var replayed = good
        replayed["id"] = ["a": NSNull()]
        replayed["previous_counter"] = 1
        var without = good
        without["id"] = "none"
        without["assertion"] = NSNull()
        var misspelt = good
        misspelt["previousCounter"] = 1
        let lines = try [good, replayed, without, misspelt].map { object in
            String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }
        let long = #"{"id":"\#(String(repeating: "x", count: 1024 * 1024))"}"#
        let input = [lines[0], "{", "", "[]", long, #"{"id":1,"app_id":{}}"#, lines[1], lines[2], lines[3], lines[0]]
        // The last line has no line feed.
        let run = try await CommandLineRun(
            ["assertion", "verify", "--json-lines"], input: input.joined(separator: "\n"))
        #expect(run.exitCode == 0, "\(run.errors)")
        let answers = try run.objects()
        #expect(
            answers.map { $0["verdict"] as? String } == [
                "accepted", "error", "error", "error", "error", "rejected", "error", "error", "accepted",
            ])
        #expect(
            answers.map { $0["reason"] as? String } == [
                nil, "LINE_MALFORMED", "LINE_MALFORMED", "LINE_TOO_LONG", "FIELD_INVALID", "COUNTER_NOT_GREATER",
                "FIELD_MISSING", "FIELD_INVALID", nil,
            ])
        #expect(answers[0]["id"] as? Int == 7)
        #expect(answers[1]["id"] is NSNull)
        #expect(answers[5]["id"] as? [String: NSNull] == ["a": NSNull()])
        #expect(answers[6]["id"] as? String == "none")
        #expect(answers[7]["detail"] as? String == "previousCounter: there is no such member")
    }

    @Test func `flags stand in for what a line leaves out`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let line: [String: Any] = [
            "attestation": evidence.attestation.base64EncodedString(),
            "client_data_hash": Data(SHA256.hash(data: evidence.challenge)).base64EncodedString(),
        ]
        let input = String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
        let run = try await CommandLineRun(
            evidence.attestationArguments(["--challenge", "AAAA", "--json-lines"]), input: input)
        #expect(try run.objects().first?["verdict"] as? String == "accepted", "\(run.output) \(run.errors)")
    }

    @Test(arguments: ["attestation", "assertion"])
    func `every vector case gets its verdict`(_ target: String) async throws {
        var input: [String] = []
        var expected: [Bool] = []
        for name in ["cases_real.json", "cases_synthetic.json"] {
            let set = try #require(try JSONSerialization.jsonObject(with: Vectors.data(name)) as? [String: Any])
            let base = try (set["base"] as? String).map { try JSONSerialization.jsonObject(with: Vectors.data($0)) }
            let defaults = (base ?? set["defaults"]) as? [String: Any] ?? [:]
            let root = try (set["trustRoot"] as? String).map { String(decoding: try Vectors.data($0), as: UTF8.self) }
            for item in try #require(set["cases"] as? [[String: Any]]) where item["target"] as? String == target {
                let all = defaults.merging(item) { $1 }
                var line: [String: Any] = ["root": root ?? NSNull()]
                for (key, name) in Self.keys { line[key] = all[name] ?? NSNull() }
                input.append(String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self))
                expected.append(item["expected"] as? String == "valid")
            }
        }
        let run = try await CommandLineRun(
            [target, "verify", "--json-lines"], input: input.joined(separator: "\n") + "\n")
        let verdicts = try run.objects().map { $0["verdict"] as? String }
        #expect(verdicts == expected.map { $0 ? "accepted" : "rejected" })
        #expect(!expected.isEmpty)
    }

    private static let keys = [
        "app_id": "appId", "key_id": "keyId", "attestation": "attestation", "client_data_hash": "clientDataHash",
        "environment": "environment", "at": "validAt", "public_key": "publicKeyX963", "assertion": "assertion",
        "previous_counter": "previousCounter",
    ]

    @Test func `the bench needs nothing but itself`() async throws {
        let run = try await CommandLineRun(["bench", "verify", "--seconds", "1", "--json"])
        #expect(run.exitCode == 0, "\(run.errors)")
        let report = try #require(try run.objects().first)
        let keys = [
            "attestations_per_second", "assertions_per_second", "ed25519_request_microseconds",
            "challenge_microseconds", "sha256_gigabytes_per_second",
        ]
        for key in keys {
            #expect((report[key] as? Double ?? 0) > 0)
        }
    }
}
