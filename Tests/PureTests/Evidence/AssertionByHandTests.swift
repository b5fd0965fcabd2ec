import CBOR
import CaptureModel
import Crypto
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

/// Assertions that are almost well-formed, with a good signature: the program and ``EvidenceVerifier`` say the same.
@Suite(.timeLimit(.minutes(1))) struct `An assertion by hand` {
    private static let good: [UInt8] = [0x40, 0, 0, 0, 1]

    /// Members that nobody reads and nobody signed: their number, their bytes, and whether both checkers take them.
    private static let unread: [(UInt8, [UInt8], Bool)] = [
        (1, [0x01, 0x81, 0x81, 0x81, 0x00], true), (1, [0x01, 0x81, 0x81, 0x81, 0x81, 0x00], false),
        (2, [0x01, 0x00, 0x02, 0x00], true), (2, [0x01, 0x00, 0x01, 0x00], false),
        (1, [0x01, 0xF8, 0x20], true), (1, [0x01, 0xF8, 0x01], false), (1, [0x01, 0xFF], false),
        (1, [0x01, 0xF9, 0x3E, 0x00], true), (1, [0x01, 0xFA, 0x3F, 0xC0, 0x00, 0x00], false),
        (1, list(of: 240), true), (1, list(of: 255), false),
    ]

    private static func list(of count: UInt8) -> [UInt8] {
        [0x01, 0x98, count] + [UInt8](repeating: 0, count: Int(count))
    }

    private let fixture: EvidenceFixture
    private let key = P256.Signing.PrivateKey()
    private let capture: SyntheticCapture

    init() throws {
        fixture = try EvidenceFixture()
        capture = try fixture.signed(.framedV2).capture
    }

    /// A signature over authenticator data: the app's digest and what follows it.
    private func parts(_ rest: [UInt8]) throws -> (signature: [UInt8], data: [UInt8]) {
        let data = CaptureModel.SHA256Digest.hash(Array(EvidenceFixture.appID.utf8)).bytes + rest
        let hash = CaptureSigner.clientDataHash(of: capture, binding: .framedV2).bytes
        let nonce = CaptureModel.SHA256Digest.hash(data + hash).bytes
        return (Array(try key.signature(for: nonce).derRepresentation), data)
    }

    /// A map of so many members, of which two are these, and what is behind them.
    private func object(_ count: UInt8, _ signature: [UInt8], _ data: [UInt8], _ more: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = [0xA0 + count]
        CBORValue.text("signature").encode(into: &bytes)
        bytes += signature
        CBORValue.text("authenticatorData").encode(into: &bytes)
        CBORValue.bytes(data).encode(into: &bytes)
        return bytes + more
    }

    /// Whether nothing is wrong with it, as both have it; nobody vouches for the key.
    private func isGood(
        _ assertion: [UInt8], publicKey: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Bool {
        let publicKey = publicKey ?? Array(key.publicKey.x963Representation)
        let device = Device.phone(.unverified(.p256, publicKey: publicKey, reason: nil), registeredAt: fixture.now)
        let registration = DeviceRegistration(device: device)
        let signed = SignedCapture(capture: capture, assertion: assertion, binding: .framedV2)
        let evidence = fixture.evidence(of: signed, by: registration)
        let findings = try fixture.verifier().verify(evidence, photo: capture.photo, depth: capture.depthMap)
        let found = try await `Evidence by hand`.check(
            Array(try JSONEncoder().encode(evidence)), photo: capture.photo, depth: capture.depthMap)
        #expect(
            (findings.verdict == .rejected) == !found.failed.isEmpty, "\(findings.reasons), \(found.output)",
            sourceLocation: sourceLocation)
        #expect(
            found.exitCode == 1 && found.output.contains("not checked: whose key it is"), "\(found.output)",
            sourceLocation: sourceLocation)
        return found.failed.isEmpty
    }

    @Test(
        arguments: [
            ([0x40, 0, 0, 0, 1], true), ([0xC0, 0, 0, 0, 1], false), ([0x40, 0, 0, 0, 1, 0xA0], true),
            ([0xC0, 0, 0, 0, 1, 0xA1, 0x01, 0x02], true), ([0x40, 0, 0, 0, 1, 0xA0, 0x00, 0x00], false),
            ([0x40, 0, 0, 0, 1, 0x80], false), ([0x40, 0, 0, 0, 1, 0xA1, 0x01], false),
        ] as [([UInt8], Bool)])
    func `an assertion that is read by hand has a map behind its authenticator data, or nothing`(
        rest: [UInt8], isGood: Bool
    ) async throws {
        let (signature, data) = try parts(rest)
        let assertion = object(2, CBORValue.bytes(signature).encode(), data)
        #expect(try await self.isGood(assertion) == isGood)
    }

    @Test func `an assertion that is read by hand has no length that is not the shortest`() async throws {
        let (signature, data) = try parts(Self.good)
        #expect(try await isGood(object(2, [0x58, UInt8(signature.count)] + signature, data)))
        #expect(try await !isGood(object(2, [0x59, 0, UInt8(signature.count)] + signature, data)))
    }

    @Test(arguments: unread)
    func `an assertion that is read by hand is strict CBOR in what nobody reads as well`(
        count: UInt8, more: [UInt8], isGood: Bool
    ) async throws {
        let (signature, data) = try parts(Self.good)
        let assertion = object(2 + count, CBORValue.bytes(signature).encode(), data, more)
        #expect(try await self.isGood(assertion) == isGood)
    }

    /// openssl stops reading a signature file after the longest signature that the key can make.
    @Test func `an assertion that is read by hand has nothing behind its signature`() async throws {
        var (signature, data) = try parts(Self.good)
        for _ in 0..<200 where signature.count < 72 { (signature, data) = try parts(Self.good) }
        try #require(signature.count == 72)
        #expect(try await isGood(object(2, CBORValue.bytes(signature).encode(), data)))
        for junk in [1, 500] {
            let longer = signature + [UInt8](repeating: 0, count: junk)
            #expect(try await !isGood(object(2, CBORValue.bytes(longer).encode(), data)), "\(junk) bytes")
        }
    }

    /// openssl takes a point with the parity of y in its first byte as well.
    @Test func `an assertion that is read by hand is of an uncompressed key`() async throws {
        let (signature, data) = try parts(Self.good)
        let assertion = object(2, CBORValue.bytes(signature).encode(), data)
        let point = Array(key.publicKey.x963Representation)
        #expect(try await isGood(assertion, publicKey: point))
        #expect(try await !isGood(assertion, publicKey: [6 + (point[64] & 1)] + point.dropFirst()))
    }

    /// As JSON has it: digits in either case, and a whole number with a fraction.
    @Test func `an assertion that is read by hand is read from a record that is written otherwise`() async throws {
        let signed = try CaptureSigner(device: fixture.phone, binding: .framedV2).sign(
            capture, counter: .exactly(1))
        let evidence = fixture.evidence(of: signed)
        let text = String(decoding: try JSONEncoder().encode(evidence), as: UTF8.self)
        let digest = evidence.result.photoDigest.hex
        let other = text.replacing("\"counter\":1", with: "\"counter\":1.0")
            .replacing(digest, with: digest.uppercased())
        try #require(other != text)
        let json = Array(other.utf8)
        let (photo, depth) = (capture.photo, capture.depthMap)
        let found = try await `Evidence by hand`.check(json, photo: photo, depth: depth)
        #expect(found.exitCode == 0 && found.failed == [], "\(found.output)")
        let findings = try fixture.verifier().verify(try CaptureEvidence(json: json), photo: photo, depth: depth)
        #expect(findings.verdict == .accepted)
    }
}
