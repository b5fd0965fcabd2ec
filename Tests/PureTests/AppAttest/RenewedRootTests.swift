import AppAttest
import DeviceSimulator
import Foundation
import Testing

/// A root that is renewed keeps its name and key, so that both of its certificates signed what is below.
@Suite struct `A root that was renewed` {
    private static let moment = AttestationForge.moment

    /// A forge, and its root as it was until five seconds ago.
    private func attested() throws -> (forge: AttestationForge, old: TrustRoot, new: TrustRoot) {
        let forge = AttestationForge()
        var before = forge
        before.rootNotAfter = Self.moment.addingTimeInterval(-5)
        return (forge, try before.trustRoot(), try forge.trustRoot())
    }

    private func code(_ verify: () throws -> VerifiedAttestation) throws -> AttestationError.Code? {
        do {
            _ = try verify()
            return nil
        } catch let error as AttestationError {
            return error.code
        }
    }

    @Test func `a renewed root is the one in force, in whichever order the two are configured`() throws {
        let (forge, old, new) = try attested()
        for roots in [[old, new], [new, old]] {
            #expect(try forge.verify { $0.roots = roots }.trustRoot == new)
            let before = try forge.verify(at: Self.moment.addingTimeInterval(-10)) { $0.roots = roots }
            #expect(before.trustRoot == roots[0])
        }
        #expect(try code { try forge.verify { $0.roots = [old] } } == .rootExpired)
    }

    @Test func `a renewed root is found by a verifier that remembers the intermediate from the old one's time`() throws
    {
        let (forge, old, new) = try attested()
        let verifier = AttestationVerifier(policy: .init(appIDs: [AttestationForge.app], roots: [old, new]))
        let attestation = try forge.attestation()
        func root(after seconds: TimeInterval) throws -> TrustRoot {
            try verifier.verify(
                attestation: attestation, keyID: forge.keyID, clientDataHash: forge.challengeHash,
                at: Self.moment.addingTimeInterval(seconds)
            ).trustRoot
        }
        #expect(try root(after: -10) == old)
        #expect(try root(after: 0) == new)
        #expect(try root(after: -10) == old)
    }

    @Test func `a renewed root says by its first certificate why none is in force`() throws {
        let (forge, old, _) = try attested()
        var later = forge
        later.rootNotBefore = Self.moment.addingTimeInterval(5)
        let early = try later.trustRoot()
        #expect(try code { try forge.verify { $0.roots = [old, early] } } == .rootExpired)
        #expect(try code { try forge.verify { $0.roots = [early, old] } } == .rootNotYetValid)
    }

    @Test func `a renewed root is only one that allows an authority below it`() throws {
        let (forge, _, new) = try attested()
        var narrow = forge
        narrow.rootPathLength = 0
        let tight = try narrow.trustRoot()
        #expect(try forge.verify { $0.roots = [tight, new] }.trustRoot == new)
        #expect(try code { try forge.verify { $0.roots = [tight] } } == .pathTooLong)
    }

    @Test
    func `a renewed root is the one in force for receipts as well, also for a verifier that remembers the old one`()
        throws
    {
        let fixture = try ReceiptFixture()
        let forge = try ReceiptChainForge([.signer(issuer: "a"), .authority("a")])
        let receipt = try forge.issuer().sign(fixture.content)
        let until = ReceiptFixture.moment.addingTimeInterval(-5)
        let (old, new) = (
            try forge.trustRoot(ReceiptChainForge.validity.lowerBound...until), try forge.trustRoot()
        )
        for roots in [[old, new], [new, old]] {
            let verifier = ReceiptVerifier(policy: try fixture.policy { $0.roots = roots })
            func root(after seconds: TimeInterval) throws -> TrustRoot {
                try verifier.verify(
                    receipt, fixture.expectation, at: ReceiptFixture.moment.addingTimeInterval(seconds)
                ).trustRoot
            }
            #expect(try root(after: -10) == roots[0])
            #expect(try root(after: 0) == new)
        }
        #expect(try fixture.code(receipt) { $0.roots = [old] } == .chainExpired)
    }

    /// That depends on the chain, and what is remembered of an authority serves for all chains through it.
    @Test func `a renewed root may allow a shorter chain of receipts and not a longer one`() throws {
        let fixture = try ReceiptFixture()
        var low = try ReceiptChainForge.Link.signer(issuer: "b")
        low.name = "low"
        var forge = try ReceiptChainForge([.signer(issuer: "a"), low, .authority("a", issuer: "b"), .authority("b")])
        let until = ReceiptFixture.moment.addingTimeInterval(-5)
        let wide = try forge.trustRoot(ReceiptChainForge.validity.lowerBound...until)
        let receipts = try forge.issuers(2).map { try $0.sign(fixture.content) }
        forge.root.extensions = try ReceiptChainForge.Link.authority("root", pathLength: 1).extensions
        let narrow = try forge.trustRoot()
        let verifier = ReceiptVerifier(policy: try fixture.policy { $0.roots = [wide, narrow] })
        func root(of receipt: [UInt8], after seconds: TimeInterval) throws -> TrustRoot {
            try verifier.verify(
                receipt, fixture.expectation, at: ReceiptFixture.moment.addingTimeInterval(seconds)
            ).trustRoot
        }
        #expect(try root(of: receipts[0], after: -10) == wide)
        #expect(try root(of: receipts[1], after: 0) == narrow)
        let error = #expect(throws: ReceiptError.self) { try root(of: receipts[0], after: 0) }
        #expect(error?.code == .chainExpired)
    }
}
