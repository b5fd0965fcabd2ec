import CaptureModel
import Crypto
import DeviceSimulator
import Foundation
import TestSupport
import Testing

/// The contract of `capturectl receipt verify`, and of the receipt in `capturectl attestation verify`.
@Suite(.timeLimit(.minutes(3))) struct `Receipts from the command line` {
    private static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    private static let at = "2026-09-21T14:13:20Z"
    private static let appID = "TEAM123456.org.example.camera"
    private static let challenge = Data("challenge".utf8)
    private static let hash = Array(SHA256.hash(data: challenge))

    /// One device's receipts, and a file with the root.
    private struct Evidence {
        let directory = try? TemporaryDirectory.make("receipt")
        let device = SimulatedDevice(appID: appID)
        let authority: TestCertificateAuthority
        let issuer: TestReceiptIssuer
        let receipt: [UInt8]

        init() throws {
            authority = try TestCertificateAuthority(at: moment)
            issuer = try TestReceiptIssuer(authority: authority, at: moment)
            receipt = try issuer.sign(
                device.receiptContent(clientDataHash: hash, authority: authority, at: moment))
            try Data(authority.rootPEM.utf8).write(to: file("root.pem"))
        }

        func file(_ name: String) throws -> URL { try #require(directory).appendingPathComponent(name) }

        func arguments(_ extra: [String] = []) throws -> [String] {
            [
                "receipt", "verify", "--app-id", appID, "--public-key", Data(device.publicKey).base64EncodedString(),
                "--root", try file("root.pem").path,
            ] + extra
        }

        func remove() { if let directory { try? FileManager.default.removeItem(at: directory) } }
    }

    @Test func `a receipt is accepted, and everything learned is printed`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let file = try evidence.file("receipt.der")
        try Data(evidence.receipt).write(to: file)
        let run = try await CommandLineRun(
            evidence.arguments([
                "--receipt", "@\(file.path)", "--at", Self.at, "--challenge", Self.challenge.base64EncodedString(),
                "--type", "ATTEST", "--environment", "production",
            ]))
        #expect(run.exitCode == 0, "\(run.errors)")
        let answer = try #require(try run.objects().first)
        #expect(answer["verdict"] as? String == "accepted")
        #expect(answer["reason"] is NSNull && answer["step"] is NSNull && answer["risk_metric"] is NSNull)
        #expect(answer["type"] as? String == "ATTEST" && answer["environment"] as? String == "production")
        #expect(answer["app_id"] as? String == Self.appID)
        #expect(answer["public_key"] as? String == Data(evidence.device.publicKey).base64EncodedString())
        #expect(answer["key_id"] as? String == Data(evidence.device.keyID.bytes).base64EncodedString())
        #expect(answer["creation_time"] as? String == "2026-09-21T14:13:20.000Z")
        #expect(answer["expiration_time"] as? String == "2026-12-20T14:13:20.000Z")
        #expect(answer["not_before"] is NSNull && answer["bound_to_attestation"] as? Bool == true)
        #expect((answer["token"] as? String)?.isEmpty == false)
        let signer = try #require(answer["signer"] as? [String: Any])
        #expect(signer["name"] as? String == "TEST ONLY Application Attestation Fraud Receipt Signing")
        #expect(signer["not_after"] as? String == "2027-10-21T14:13:20.000Z")
        #expect(((answer["trust_root"] as? [String: Any])?["sha256"] as? String)?.count == 64)
    }

    @Test func `a renewed receipt tells its metric, and an old one is stale unless that may be`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let renewed = try evidence.issuer.renew(evidence.receipt, riskMetric: 3, at: Self.moment)
        let receipt = ["--receipt", Data(renewed).base64EncodedString()]
        let fresh = try await CommandLineRun(evidence.arguments(receipt + ["--at", Self.at]))
        let answer = try #require(try fresh.objects().first)
        #expect(fresh.exitCode == 0 && answer["risk_metric"] as? Int == 3 && answer["type"] as? String == "RECEIPT")
        #expect(answer["not_before"] as? String == "2026-09-22T14:13:20.000Z")
        let later = receipt + ["--at", "2026-09-21T14:18:21Z"]
        let stale = try await CommandLineRun(evidence.arguments(later))
        #expect(stale.exitCode == 1)
        #expect(try stale.objects().first?["reason"] as? String == "RECEIPT_STALE")
        #expect(try stale.objects().first?["step"] as? Int == 13)
        let old = try await CommandLineRun(evidence.arguments(later + ["--no-fresh"]))
        #expect(old.exitCode == 0, "\(old.output)")
    }

    @Test(arguments: [
        ["--receipt", "AAAA", "--type", "attest"], ["--receipt", "AAAA", "--environment", "staging"],
        ["--receipt", "!"], [], ["--receipt", "AAAA", "--challenge", "AAAA", "--client-data-hash", "AAAA"],
        ["--receipt", "AAAA", "--at", "now"], ["--receipt", "@/no/such/file"],
    ])
    func `a question about a receipt that makes no sense exits with 64`(_ arguments: [String]) async throws {
        let run = try await CommandLineRun(
            ["receipt", "verify", "--app-id", Self.appID, "--public-key", "AAAA"] + arguments)
        #expect(run.exitCode == 64)
        #expect(run.output.isEmpty && !run.errors.isEmpty)
    }

    @Test func `every case of the vectors and every refreshed receipt gets its verdict`() async throws {
        var lines: [[String: Any]] = []
        var expected: [String] = []
        let names = try FileManager.default.contentsOfDirectory(atPath: Vectors.directory.path)
        for name in names.filter({ $0.hasSuffix(".json") }).sorted() {
            let file = try #require(try JSONSerialization.jsonObject(with: Vectors.data(name)) as? [String: Any])
            for item in file["refreshedReceipts"] as? [[String: Any]] ?? [] {
                lines.append([
                    "id": lines.count, "receipt": item["receipt"] ?? "", "app_id": file["appId"] ?? "",
                    "public_key": file["publicKeySPKI"] ?? file["publicKeyX963"] ?? "", "at": item["validAt"] ?? "",
                    "environment": file["environment"] ?? "", "type": "RECEIPT",
                ])
                expected.append("valid")
            }
            for item in file["cases"] as? [[String: Any]] ?? [] where item["target"] as? String == "receipt" {
                lines.append([
                    "id": lines.count, "receipt": item["receipt"] ?? "", "app_id": item["appId"] ?? "",
                    "public_key": item["publicKeyX963"] ?? "", "at": item["receiptValidAt"] ?? "",
                ])
                expected.append(try #require(item["expected"] as? String))
            }
        }
        let input = try lines.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
        let run = try await CommandLineRun(
            ["receipt", "verify", "--json-lines"], input: input.joined(separator: "\n") + "\n")
        #expect(run.exitCode == 0, "\(run.errors)")
        let answers = try run.objects()
        #expect(answers.map { $0["id"] as? Int } == lines.indices.map(\.self))
        #expect(
            answers.map { $0["verdict"] as? String } == expected.map { $0 == "valid" ? "accepted" : "rejected" })
        #expect(expected.count >= 27)
    }

    @Test func `a line that makes no sense is an error of its own`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let good: [String: Any] = [
            "receipt": Data(evidence.receipt).base64EncodedString(), "at": Self.at,
            "client_data_hash": Data(Self.hash).base64EncodedString(), "token": NSNull(), "fresh": true,
        ]
        let changes: [(String, Any, String?)] = [
            ("id", 1, nil), ("receipt", 1, "FIELD_INVALID"), ("type", "any", nil), ("type", [1], "FIELD_INVALID"),
            ("fresh", "no", "FIELD_INVALID"), ("token", "x", "RECEIPT_TOKEN_MISMATCH"),
            ("receipt", NSNull(), "FIELD_MISSING"), ("environment", "development", "RECEIPT_ENVIRONMENT_MISMATCH"),
            ("app_id", [Self.appID, Self.appID], "FIELD_INVALID"), ("app_id", [Self.appID], nil),
            ("client_data_hash", "AAAA", "RECEIPT_CLIENT_DATA_HASH_MISMATCH"), ("client_data", "AAAA", "FIELD_INVALID"),
        ]
        let input = try changes.map { key, value, _ in
            String(
                decoding: try JSONSerialization.data(withJSONObject: good.merging([key: value]) { $1 }), as: UTF8.self)
        }
        let run = try await CommandLineRun(
            evidence.arguments(["--json-lines"]), input: input.joined(separator: "\n"))
        #expect(run.exitCode == 0)
        #expect(try run.objects().map { $0["reason"] as? String } == changes.map(\.2))
    }

    @Test func `an attestation's receipt is verified when that is asked for`() async throws {
        let evidence = try Evidence()
        defer { evidence.remove() }
        let arguments = [
            "attestation", "verify", "--app-id", Self.appID, "--root", try evidence.file("root.pem").path, "--at",
            Self.at, "--key-id", Data(evidence.device.keyID.bytes).base64EncodedString(), "--challenge",
            Self.challenge.base64EncodedString(), "--attestation",
        ]
        for (receipts, reason) in [(evidence.issuer, nil), (nil, "RECEIPT_MALFORMED")]
            as [(TestReceiptIssuer?, String?)]
        {
            let attestation = try evidence.device.attest(
                clientDataHash: Self.hash, authority: evidence.authority, at: Self.moment, receipts: receipts)
            let text = Data(attestation).base64EncodedString()
            #expect(try await CommandLineRun(arguments + [text]).exitCode == 0)
            let run = try await CommandLineRun(arguments + [text, "--verify-receipt"])
            let answer = try #require(try run.objects().first)
            #expect(run.exitCode == (reason == nil ? 0 : 1) && answer["reason"] as? String == reason)
            #expect(answer["step"] as? Int == (reason == nil ? nil : 17))
        }
    }
}
