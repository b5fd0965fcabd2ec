import AppAttest
import DeviceSimulator
import Testing
import X509

@Suite struct `Chains of receipts` {
    private let fixture: ReceiptFixture

    init() throws { fixture = try ReceiptFixture() }

    private func code(_ links: [ReceiptChainForge.Link], root: ReceiptChainForge.Link? = nil) throws
        -> ReceiptError.Code?
    {
        let forge = try ReceiptChainForge(links, root: root)
        let (receipt, trusted) = (try forge.issuer().sign(fixture.content), try forge.trustRoot())
        return try fixture.code(receipt) { $0.roots = [trusted] }
    }

    @Test func `chains of receipts may have no authority below the root, or a few`() throws {
        #expect(try code([.signer(issuer: "root")]) == nil)
        #expect(try code([.signer(issuer: "a"), .authority("a")]) == nil)
        #expect(try code([.signer(issuer: "a"), .authority("b"), .authority("a", issuer: "b")]) == nil)
        #expect(
            try code([
                .signer(issuer: "a"), .authority("a", issuer: "b"), .authority("b", issuer: "c"),
                .authority("c", issuer: "d"), .authority("d"),
            ]) == .chainTooLong)
    }

    @Test func `chains of receipts end at a root, and go round in no circle`() throws {
        #expect(try code([.signer(issuer: "a"), .authority("a", issuer: "b")]) == .chainIncomplete)
        #expect(
            try code([.signer(issuer: "a"), .authority("a", issuer: "b"), .authority("b", issuer: "a")])
                == .chainTooLong)
        #expect(try code([.signer(issuer: "signer")]) == .rootUntrusted)
        #expect(try code([.signer(issuer: "a"), .authority("a", issuer: "a")]) == .rootUntrusted)
    }

    @Test func `chains of receipts pass over authorities that only have the right name`() throws {
        let impostor = try ReceiptChainForge.Link.authority("a")
        let authority = try ReceiptChainForge.Link.authority("a")
        // The signer is signed by the first of the name; either order of the two must do.
        let signer = try ReceiptChainForge.Link.signer(issuer: "a")
        #expect(try code([signer, authority, impostor]) == nil)
    }

    @Test func `chains of receipts have authorities that are some`() throws {
        var bare = try ReceiptChainForge.Link.authority("a")
        bare.extensions.removeFirst()
        var critical = try ReceiptChainForge.Link.authority("a")
        critical.extensions.append(ReceiptChainForge.unknownCritical)
        var none = try ReceiptChainForge.Link.signer(issuer: "root", usage: KeyUsage(keyCertSign: true))
        none.name = "a"
        for (authority, expected) in [
            (bare, .authorityConstraintsMissing), (critical, .criticalExtensionUnknown), (none, .authorityNotAuthority),
            (try .authority("a", isCritical: false), .authorityNotAuthority),
            (try .authority("a", usage: KeyUsage(digitalSignature: true)), .authorityKeyUsage),
        ] as [(ReceiptChainForge.Link, ReceiptError.Code)] {
            #expect(try code([.signer(issuer: "a"), authority]) == expected)
        }
    }

    @Test func `chains of receipts are no longer than their authorities allow`() throws {
        func authorities(_ lower: Int?, _ upper: Int?) throws -> [ReceiptChainForge.Link] {
            [
                try .signer(issuer: "a"), try .authority("a", issuer: "b", pathLength: lower),
                try .authority("b", pathLength: upper),
            ]
        }
        #expect(try code(authorities(0, 1)) == nil)
        #expect(try code(authorities(0, 0)) == .chainTooLong)
        #expect(
            try code([.signer(issuer: "a"), .authority("a")], root: .authority("root", pathLength: 0)) == .chainTooLong)
        #expect(try code([.signer(issuer: "root")], root: .authority("root", pathLength: 0)) == nil)
        #expect(try code(authorities(0, 1), root: .authority("root", pathLength: 1)) == .chainTooLong)
        #expect(try code(authorities(0, 1), root: .authority("root", pathLength: 2)) == nil)
        #expect(
            try code([.signer(issuer: "a"), .authority("a")], root: .authority("root", pathLength: 1)) == nil)
    }

    /// Under the operator's own root as under Apple's: there stand the certificates of attested keys, too.
    @Test func `chains of receipts begin with a signer that was made for receipts`() throws {
        for issuer in ["root", "a"] {
            var plain = try ReceiptChainForge.Link.signer(issuer: issuer)
            let authorities = try issuer == "a" ? [ReceiptChainForge.Link.authority("a")] : []
            #expect(try code([plain] + authorities) == nil)
            plain.extensions.removeLast()
            #expect(try code([plain] + authorities) == .signerPurpose)
        }
    }

    @Test func `chains of receipts begin with a signer that is one`() throws {
        var critical = try ReceiptChainForge.Link.signer(issuer: "root")
        critical.extensions.append(ReceiptChainForge.unknownCritical)
        var authority = try ReceiptChainForge.Link.authority("signer")
        #expect(try code([critical]) == .criticalExtensionUnknown)
        #expect(try code([authority]) == .signerIsAuthority)
        authority.extensions.removeFirst()
        #expect(try code([authority]) == .signerIsAuthority)
        #expect(
            try code([.signer(issuer: "root", usage: KeyUsage(nonRepudiation: true))]) == .signerKeyUsage)
    }
}
