import Testing
import X509

@testable import AppAttest

@Suite struct `The cache of intermediates` {
    /// What a verifier remembers; no two are the same.
    private func intermediate() throws -> VerifiedIntermediate {
        let authority = try AttestationForge().root()
        return VerifiedIntermediate(
            certificate: try X509Certificate(der: AttestationForge.der(authority)), key: authority.publicKey, roots: [])
    }

    @Test func `a cache of intermediates that is full forgets all of them before it remembers another`() throws {
        let cache = IntermediateCache(capacity: 2)
        let all = try (0..<3).map { _ in try intermediate() }
        for one in all.prefix(2) { cache.insert(one) }
        #expect(all.map { cache.find($0.certificate.der) != nil } == [true, true, false])
        cache.insert(all[2])
        #expect(all.map { cache.find($0.certificate.der) != nil } == [false, false, true])
    }

    @Test func `a cache of intermediates without room remembers none`() throws {
        let cache = IntermediateCache(capacity: 0)
        let one = try intermediate()
        cache.insert(one)
        #expect(cache.find(one.certificate.der) == nil)
    }
}
