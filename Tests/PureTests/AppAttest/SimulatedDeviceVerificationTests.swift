import AppAttest
import CaptureModel
import DeviceSimulator
import Foundation
import Testing

/// The simulator's flaws, each against the check that it is meant for.
@Suite struct `Simulated devices` {
    private static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    private let hash = Array(repeating: UInt8(9), count: 32)

    @Test(arguments: WireFormat.allCases) func `a flawless device is accepted in every wire format`(
        _ format: WireFormat
    ) throws {
        let authority = try TestCertificateAuthority(at: Self.moment)
        let device = SimulatedDevice(appID: "TEAM123456.org.example.camera", format: format)
        let app = try #require(AppID(device.appID))
        let verified = try AttestationVerifier(
            policy: AttestationPolicy(appIDs: [app], roots: [TrustRoot(pem: authority.rootPEM)])
        ).verify(
            attestation: device.attest(clientDataHash: hash, authority: authority, at: Self.moment),
            keyID: device.keyID.bytes, clientDataHash: hash, at: Self.moment)
        #expect(verified.publicKey == device.publicKey)
        #expect(verified.osVersion == format.systemVersion)
        #expect((verified.extensions != nil) == (format != .plain))
        let assertion = try AssertionVerifier().verify(
            device.assertion(clientDataHash: hash), clientDataHash: hash,
            publicKey: AssertionKey(x963: verified.publicKey), appID: app)
        #expect(assertion.counter == 1)
    }

    @Test(arguments: AttestationFlaw.allCases) func `each flaw of an attestation has its reason`(
        _ flaw: AttestationFlaw
    ) throws {
        let authority = try TestCertificateAuthority(at: Self.moment)
        let device = SimulatedDevice(appID: "TEAM123456.org.example.camera")
        let app = try #require(AppID(device.appID))
        let verifier = AttestationVerifier(
            policy: AttestationPolicy(appIDs: [app], roots: [try TrustRoot(pem: authority.rootPEM)]))
        let attestation = try device.attest(clientDataHash: hash, authority: authority, at: Self.moment, flaw: flaw)
        let error = #expect(throws: AttestationError.self) {
            try verifier.verify(
                attestation: attestation, keyID: device.keyID.bytes, clientDataHash: hash, at: Self.moment)
        }
        #expect(error?.code == Self.code(flaw))
    }

    private static func code(_ flaw: AttestationFlaw) -> AttestationError.Code {
        switch flaw {
        case .format: .formatUnknown
        case .trailingByte: .attestationTrailingBytes
        case .truncated: .attestationMalformed
        case .receiptMissing: .receiptMissing
        case .intermediateMissing, .rootIncluded: .certificateCount
        case .chainReversed, .leafSignedByRoot: .leafIssuerMismatch
        case .leafSignature: .leafSignatureInvalid
        case .leafIsAuthority: .leafIsAuthority
        case .leafExpired: .leafExpired
        case .leafNotYetValid: .leafNotYetValid
        case .leafKeyOfOtherDevice: .keyIDMismatch
        case .otherClientDataHash: .nonceMismatch
        case .nonceMissing: .nonceMissing
        case .nonceBare, .nonceBehindJunk: .nonceMalformed
        case .otherAppID: .rpIDMismatch
        case .counterNotZero: .counterNotZero
        case .unknownAAGUID: .environmentUnknown
        case .otherEnvironment: .environmentMismatch
        case .attestedDataFlagClear: .credentialMissing
        case .credentialIDOfOtherDevice: .credentialIDMismatch
        case .credentialIDLength: .credentialIDLength
        case .publicKeyOfOtherDevice: .publicKeyMismatch
        case .publicKeyTruncated: .publicKeyMalformed
        case .extensionsMissing: .extensionsMissing
        case .extensionsTrailingByte: .extensionsTrailingBytes
        case .extensionsNotAMap: .extensionsNotAMap
        }
    }

    @Test(arguments: AssertionFlaw.allCases) func `each flaw of an assertion has its reason`(_ flaw: AssertionFlaw)
        throws
    {
        let device = SimulatedDevice(appID: "TEAM123456.org.example.camera")
        let app = try #require(AppID(device.appID))
        let key = try AssertionKey(x963: device.publicKey)
        let assertion = try device.assertion(clientDataHash: hash, flaw: flaw)
        let verdict: AppAttest.AssertionError.Code?
        do throws(AppAttest.AssertionError) {
            _ = try AssertionVerifier().verify(assertion, clientDataHash: hash, publicKey: key, appID: app)
            verdict = nil
        } catch {
            verdict = error.code
        }
        let expected: AppAttest.AssertionError.Code? =
            switch flaw {
            case .trailingByte: .assertionTrailingBytes
            case .truncated: .assertionMalformed
            case .signatureMissing, .signatureAsText: .assertionIncomplete
            case .authenticatorDataShort: .authenticatorDataShort
            case .authenticatorDataJunk: .extensionsMalformed
            case .singleHash, .otherClientDataHash, .keyOfOtherDevice, .signatureEmpty, .counterEdited:
                .signatureInvalid
            case .otherAppID: .rpIDMismatch
            // Other bytes for the same event: valid, and caught by its counter.
            case .malleated: nil
            }
        #expect(verdict == expected)
    }
}
