import AppAttest
import CBOR
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@Suite struct `Attestation policy` {
    private static func tail(_ category: CBORValue?, _ version: String?) -> [UInt8] {
        var entries: [CBORValue.Entry] = []
        if let category { entries.append(.init(.text("apple_validation_category_01"), category)) }
        if let version { entries.append(.init(.text("apple_bundle_version_01"), .text(version))) }
        return CBORValue.map(entries).encode()
    }

    @Test func `any of several apps matches, and the answer says which`() throws {
        let other = try #require(AppID("TEAM123456.org.example.other"))
        let verified = try AttestationForge().verify { $0.appIDs = [other, AttestationForge.app] }
        #expect(verified.appID == AttestationForge.app)
        let error = #expect(throws: AttestationError.self) { try AttestationForge().verify { $0.appIDs = [] } }
        #expect(error?.code == .rpIDMismatch)
    }

    @Test func `either environment can be allowed`() throws {
        var forge = AttestationForge()
        forge.aaguid = AttestEnvironment.development.aaguid
        #expect(try forge.verify { $0.environments = [.production, .development] }.environment == .development)
        #expect(
            try AttestationForge().verify { $0.environments = [.production, .development] }.environment == .production)
        let error = #expect(throws: AttestationError.self) { try forge.verify { $0.environments = [.production] } }
        #expect(error?.code == .environmentMismatch)
    }

    @Test func `among several roots the one that signed is named, even with names alike`() throws {
        let (forge, twin) = (AttestationForge(), AttestationForge())
        let (root, other) = (try forge.trustRoot(), try twin.trustRoot())
        let verified = try forge.verify { $0.roots = [.appleAppAttestation, other, root] }
        #expect(verified.trustRoot == root)
        let error = #expect(throws: AttestationError.self) { try forge.verify { $0.roots = [other] } }
        #expect(error?.code == .intermediateSignatureInvalid)
        let nobody = #expect(throws: AttestationError.self) { try forge.verify { $0.roots = [] } }
        #expect(nobody?.code == .intermediateIssuerMismatch)
    }

    @Test func `a missing receipt is taken only if the policy says so`() throws {
        var forge = AttestationForge()
        forge.receipt = nil
        #expect(try forge.verify { $0.requireReceipt = false }.receipt == [])
        forge.receipt = .bytes([])
        #expect(try forge.verify { $0.requireReceipt = false }.receipt == [])
        forge.receipt = .text("no bytes")
        let error = #expect(throws: AttestationError.self) { try forge.verify { $0.requireReceipt = false } }
        #expect(error?.code == .receiptMissing)
    }

    @Test(
        arguments: [
            (.bytes([4, 0, 0, 0]), 4), (.unsigned(4), 4), (.bytes([0, 1, 0, 0]), 256), (.bytes([10]), 10),
            (.text("4"), nil), (.bytes([]), nil), (.bytes([4, 0, 0, 0, 0]), nil), (.null, nil),
        ] as [(CBORValue, Int?)])
    func `a validation category is four bytes, little-endian, or a number`(_ value: CBORValue, _ category: Int?) throws
    {
        var forge = AttestationForge()
        forge.tail = Self.tail(value, "1314")
        let extensions = try #require(try forge.verify().extensions)
        #expect(extensions.validationCategory == category)
        #expect(extensions.bundleVersion == "1314")
        // An unreadable category is taken by a policy that takes any, and by no other.
        let verdict: AttestationError.Code?
        do {
            _ = try forge.verify { $0.validationCategories = [4, 10, 256] }
            verdict = nil
        } catch let error as AttestationError {
            verdict = error.code
        }
        #expect(verdict == (category == nil ? .validationCategoryNotAllowed : nil))
    }

    @Test func `a category outside the policy is refused, and none at all is not`() throws {
        var forge = AttestationForge()
        #expect(try forge.verify { $0.validationCategories = [4] }.extensions == nil)
        forge.tail = Self.tail(nil, nil)
        #expect(throws: Never.self) { try forge.verify { $0.validationCategories = [4] } }
        forge.tail = Self.tail(.bytes([3, 0, 0, 0]), nil)
        let error = #expect(throws: AttestationError.self) { try forge.verify { $0.validationCategories = [4] } }
        #expect(error?.code == .validationCategoryNotAllowed && error?.step == 15)
    }

    @Test(arguments: [
        ("1314", "1314", true), ("1313", "1314", false), ("1.10", "1.9", true), ("1.9", "1.10", false),
        ("2", "1.9.9", true),
        ("1.0", "1", true), ("1", "1.0.0", true), ("1", "1.0.1", false), ("1b", "1", false), ("", "1", false),
        ("2\0", "1", false),
        ("+2", "1", false), ("2..1", "1", false),
    ])
    func `bundle versions compare number by number`(_ version: String, _ minimum: String, _ accepted: Bool) throws {
        var forge = AttestationForge()
        forge.tail = Self.tail(nil, version)
        let minimum = try #require(DottedVersion(minimum))
        let verdict: AttestationError.Code?
        do {
            _ = try forge.verify { $0.bundleVersionMinimum = minimum }
            verdict = nil
        } catch let error as AttestationError {
            verdict = error.code
        }
        #expect(verdict == (accepted ? nil : .bundleVersionNotAllowed))
    }

    @Test func `an access control list is compared where the policy names one`() throws {
        var forge = AttestationForge()
        let required = AttestationPolicy.macOS27AccessControl
        #expect(required.count == 72)
        let error = #expect(throws: AttestationError.self) { try forge.verify { $0.accessControl = required } }
        #expect(error?.code == .accessControlMismatch)
        forge.leafExtra = [.init(oid: [1, 2, 840, 113635, 100, 8, 6], critical: false, value: required[...])]
        #expect(throws: Never.self) { try forge.verify { $0.accessControl = required } }
    }

    @Test(arguments: [0, 1, 16])
    func `one verifier keeps its verdicts, however many intermediates it remembers`(_ intermediatesMax: Int) throws {
        let forge = AttestationForge()
        let policy = AttestationPolicy(
            appIDs: [AttestationForge.app], roots: [try forge.trustRoot()],
            limits: .init(cachedIntermediatesMax: intermediatesMax))
        let verifier = AttestationVerifier(policy: policy)
        let attestation = try forge.attestation()
        func verify(at moment: Date) throws {
            _ = try verifier.verify(
                attestation: attestation, keyID: forge.keyID, clientDataHash: forge.challengeHash, at: moment)
        }
        try verify(at: AttestationForge.moment)
        try verify(at: AttestationForge.moment)
        let late = #expect(throws: AttestationError.self) { try verify(at: AttestationForge.moment + 1e9) }
        #expect(late?.code == .leafExpired)
        // The twin's intermediate has the same names, but this verifier's root did not sign it.
        let twin = AttestationForge()
        let error = #expect(throws: AttestationError.self) {
            try verifier.verify(
                attestation: twin.attestation(), keyID: twin.keyID, clientDataHash: twin.challengeHash,
                at: AttestationForge.moment)
        }
        #expect(error?.code == .intermediateSignatureInvalid)
    }

    @Test(arguments: [
        "", "abc", ".bundle", "TEAM123456.", "TEAM123456", "TEAM123456.com example", "TEÄM12345.bundle",
        "com.example.camera", "team123456.com.example", "TEAM12345.com.example", "TEAM1234567.com.example",
        "TEAM12345-.com.example", "TEAM123456." + String(repeating: "a", count: 502),
    ])
    func `what cannot be an app id is none`(_ text: String) {
        #expect(AppID(text) == nil)
        #expect(AppID("TEAM123456." + String(repeating: "a", count: 501)) != nil)
    }
}
