import Crypto
import DeviceSimulator
import Foundation
import Testing

/// `capturectl assertion verify` of the keys of devices without App Attest.
@Suite(.timeLimit(.minutes(3))) struct `Assertions of software keys from the command line` {
    private static let appID = "TEAM123456.org.example.camera"
    private static let clientData = Data(#"{"capture":1}"#.utf8)
    /// What stands before an Ed25519 key's 32 bytes in SubjectPublicKeyInfo.
    private static let head: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

    private let device = SoftwareDevice(appID: appID, key: .ed25519(Curve25519.Signing.PrivateKey()))

    /// A line of `--json-lines`.
    private func line(_ assertion: [UInt8], key: [UInt8], clientData: Data = clientData) throws -> String {
        let object = [
            "app_id": Self.appID, "public_key": Data(key).base64EncodedString(),
            "assertion": Data(assertion).base64EncodedString(), "client_data": clientData.base64EncodedString(),
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    private func answers(_ lines: [String]) async throws -> [[String: Any]] {
        let run = try await CommandLineRun(
            ["assertion", "verify", "--json-lines"], input: lines.joined(separator: "\n"))
        #expect(run.exitCode == 0, "\(run.errors)")
        return try run.objects()
    }

    @Test func `an Ed25519 key's assertion is accepted, with its key in either form`() async throws {
        let assertion = try device.assertion(clientDataHash: Array(SHA256.hash(data: Self.clientData)))
        let found = try await answers([
            line(assertion, key: device.publicKey), line(assertion, key: Self.head + device.publicKey),
        ])
        #expect(found.map { $0["verdict"] as? String } == ["accepted", "accepted"], "\(found)")
        let key = Data(device.publicKey)
        for answer in found {
            #expect(answer["public_key"] as? String == key.base64EncodedString())
            #expect(answer["key_id"] as? String == Data(SHA256.hash(data: key)).base64EncodedString())
            #expect(answer["counter"] as? Int == 1)
        }
        let run = try await CommandLineRun([
            "assertion", "verify", "--app-id", Self.appID, "--public-key", key.base64EncodedString(),
            "--assertion", Data(assertion).base64EncodedString(),
            "--client-data", Self.clientData.base64EncodedString(),
        ])
        #expect(run.exitCode == 0, "\(run.output) \(run.errors)")
    }

    @Test func `a P-256 key's is accepted as well`() async throws {
        let device = SoftwareDevice(appID: Self.appID, key: .p256(P256.Signing.PrivateKey()))
        let assertion = try device.assertion(clientDataHash: Array(SHA256.hash(data: Self.clientData)))
        let found = try await answers([line(assertion, key: device.publicKey)])
        #expect(found.map { $0["verdict"] as? String } == ["accepted"], "\(found)")
    }

    @Test func `other data, another key and one of small order are rejected for what they are`() async throws {
        let assertion = try device.assertion(clientDataHash: Array(SHA256.hash(data: Self.clientData)))
        let other = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        let smallOrder: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        let found = try await answers([
            line(assertion, key: device.publicKey, clientData: Data("other".utf8)),
            line(assertion, key: Self.head + other), line(assertion, key: smallOrder),
            line(assertion, key: Self.head + smallOrder), line(assertion, key: Self.head + other.dropLast()),
        ])
        #expect(found.allSatisfy { $0["verdict"] as? String == "rejected" }, "\(found)")
        #expect(
            found.map { $0["reason"] as? String } == [
                "SIGNATURE_INVALID", "SIGNATURE_INVALID", "PUBLIC_KEY_MALFORMED", "PUBLIC_KEY_MALFORMED",
                "PUBLIC_KEY_MALFORMED",
            ])
    }

    @Test func `a key in hexadecimal is told from base64`() async throws {
        for key in [device.publicKey, Self.head + device.publicKey] {
            let digits = key.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
            let run = try await CommandLineRun(["assertion", "verify", "--public-key", digits])
            #expect(run.exitCode == 64, "\(run.output)")
            #expect(run.errors.contains("--public-key takes base64; this is hexadecimal"), "\(run.errors)")
        }
    }
}
