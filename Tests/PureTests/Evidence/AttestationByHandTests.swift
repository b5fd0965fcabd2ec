import AppAttest
import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

/// Attestations with one thing changed, and a good signature by their key: the program and ``EvidenceVerifier`` say the
/// same of them.
@Suite(.timeLimit(.minutes(2))) struct `An attestation by hand` {
    private static let changes: [ForgedCase] =
        `Hostile certificates of attestations`.cases + `Hostile authenticator data of attestations`.cases
        + `Hostile attestations`.statement + `Hostile attestations`.object

    private static let seconds: Int64 = 1_790_000_000

    /// The evidence of a capture that the forge's key has signed.
    /// - Parameter offset: How long after the forge's moment its key was registered.
    private func evidence(_ forge: AttestationForge, after offset: Int64 = 0) throws -> CaptureEvidence {
        let fixture = try EvidenceFixture()
        let capture = try fixture.signed(.framedV2).capture
        let hash = CaptureSigner.clientDataHash(of: capture, binding: .framedV2)
        let signer = SoftwareDevice(appID: AttestationForge.app.text, key: .p256(forge.deviceKey))
        let signed = SignedCapture(
            capture: capture, assertion: try signer.assertion(clientDataHash: hash.bytes), binding: .framedV2)
        let device = Device.phone(
            .of(.secureEnclave, publicKey: forge.x963, appID: AttestationForge.app.text),
            registeredAt: Timestamp(millisecondsSince1970: Self.seconds * 1000 + offset))
        let registration = DeviceRegistration(
            device: device, attestationObject: try forge.attestation(), clientDataHash: forge.challengeHash)
        return fixture.evidence(of: signed, by: registration)
    }

    /// What both say of it, who have to agree; and the checks that fail by hand.
    private func expectAgreement(
        on evidence: CaptureEvidence, roots: [String], environment: AttestEnvironment = .production,
        app: AppID = AttestationForge.app, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let found = try await `Evidence by hand`.check(
            Array(try JSONEncoder().encode(evidence)), photo: nil, depth: nil, appID: app.text, roots: roots,
            options: ["--environment", environment.rawValue], sourceLocation: sourceLocation)
        let trusted = try roots.map { try TrustRoot(pem: $0) }
        let policy = AttestationPolicy(
            appIDs: [app], environments: [environment], roots: trusted.isEmpty ? [.appleAppAttestation] : trusted)
        let findings = EvidenceVerifier(policy: policy).verify(evidence)
        #expect(
            (findings.verdict == .accepted) == found.failed.isEmpty, "\(findings.reasons), \(found.output)",
            sourceLocation: sourceLocation)
        #expect((found.exitCode == 0) == found.failed.isEmpty, "\(found.output)", sourceLocation: sourceLocation)
        return found.failed
    }

    @Test(arguments: changes)
    func `an attestation that is checked by hand is refused if the library refuses it, and else taken`(
        _ item: ForgedCase
    ) async throws {
        var forge = AttestationForge()
        item.change(&forge)
        let failed = try await expectAgreement(on: evidence(forge), roots: [forge.rootPEM()])
        #expect(failed.allSatisfy { $0.hasPrefix("attestation: ") }, "\(failed)")
    }

    @Test(
        arguments: [(-86_400_000, true), (-86_400_001, false), (172_800_000, true), (172_800_001, false)]
            as [(Int64, Bool)])
    func `an attestation that is checked by hand is good when the key was registered, and not a moment more`(
        offset: Int64, isGood: Bool
    ) async throws {
        let forge = AttestationForge()
        let failed = try await expectAgreement(on: evidence(forge, after: offset), roots: [forge.rootPEM()])
        #expect(failed == (isGood ? [] : ["attestation: valid at registered_at"]))
    }

    @Test func `an attestation that is checked by hand ends in a root that is named, or in Apple's`() async throws {
        let forge = AttestationForge()
        let evidence = try evidence(forge)
        let own = try forge.rootPEM()
        let other = try AttestationForge().rootPEM()
        for roots in [[own], [other, own]] {
            #expect(try await expectAgreement(on: evidence, roots: roots) == [])
        }
        let untrusted = try await expectAgreement(on: evidence, roots: [other])
        #expect(untrusted.count == 1 && untrusted[0].hasPrefix("attestation: chain up to a root that is not Apple's"))
        let apples = try await expectAgreement(on: evidence, roots: [])
        #expect(apples == ["attestation: chain up to Apple's root, SHA-256 \(TrustRoot.appleAppAttestation.sha256)"])
    }

    /// The certificate is this key's and genuine: what was signed with it was another challenge.
    @Test func `an attestation that is checked by hand is of the challenge in the document`() async throws {
        var forge = AttestationForge()
        let genuine = try forge.attestation()
        forge.challengeHash[0] ^= 1
        forge.encode = { _, _, _ in genuine }
        let failed = try await expectAgreement(on: evidence(forge), roots: [forge.rootPEM()])
        #expect(failed == ["attestation: nonce"])
    }

    @Test func `an attestation that is checked by hand is of the environment that is believed`() async throws {
        var forge = AttestationForge()
        forge.aaguid = Array("appattestdevelop".utf8)
        let evidence = try evidence(forge)
        let roots = [try forge.rootPEM()]
        #expect(try await expectAgreement(on: evidence, roots: roots, environment: .development) == [])
        let failed = try await expectAgreement(on: evidence, roots: roots)
        #expect(failed == ["attestation: environment: development"])
    }

    /// No assertion of theirs is at hand for most, so that only the attestation is looked at.
    @Test(arguments: VectorFile.names("20"))
    func `an attestation that is checked by hand is good if it is a real one`(_ name: String) async throws {
        let file = try VectorFile.read(name)
        guard let hash = file.clientDataHash, hash.count == 32 else { return }
        let (app, publicKey) = (try file.app, Array(try #require(file.publicKeyX963)))
        let device = Device.phone(
            .of(.secureEnclave, publicKey: publicKey, appID: app.text),
            registeredAt: Timestamp(try VectorFile.moment(file.validAt)))
        let registration = DeviceRegistration(
            device: device, attestationObject: Array(try #require(file.attestation)), clientDataHash: Array(hash))
        let fixture = try EvidenceFixture()
        let evidence = fixture.evidence(of: try fixture.signed(.framedV2), by: registration)
        let environment = try #require(file.environment.flatMap(AttestEnvironment.init(rawValue:)))
        let failed = try await expectAgreement(on: evidence, roots: [], environment: environment, app: app)
        #expect(failed == ["rpIdHash", "signature"], "the capture is of the fixture's phone")
    }
}
