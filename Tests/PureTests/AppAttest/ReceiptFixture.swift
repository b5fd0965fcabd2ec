import AppAttest
import Crypto
import DeviceSimulator
import Foundation
import SwiftASN1
import Testing
import X509

/// One simulated device whose receipts can be changed before and after they are signed.
struct ReceiptFixture: Sendable {
    static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    static let app = AppID("TEAM123456.org.example.camera")!
    static let hash = Array(SHA256.hash(data: Array("challenge".utf8)))

    let authority: TestCertificateAuthority
    let device = SimulatedDevice(appID: app.text)
    let issuer: TestReceiptIssuer
    let content: ReceiptContent

    init() throws {
        authority = try TestCertificateAuthority(at: Self.moment)
        issuer = try TestReceiptIssuer(authority: authority, at: Self.moment)
        content = try device.receiptContent(clientDataHash: Self.hash, authority: authority, at: Self.moment)
    }

    var expectation: ReceiptExpectation {
        ReceiptExpectation(
            appID: Self.app, publicKey: device.publicKey, clientDataHash: Self.hash, environment: .production)
    }

    func policy(_ change: (inout ReceiptPolicy) -> Void = { _ in }) throws -> ReceiptPolicy {
        var policy = ReceiptPolicy(roots: [try TrustRoot(pem: authority.rootPEM)])
        change(&policy)
        return policy
    }

    /// The code that a receipt is rejected with; `nil` when it is accepted.
    func code(
        _ receipt: [UInt8], at moment: Date = moment, _ change: (inout ReceiptPolicy) -> Void = { _ in }
    ) throws -> ReceiptError.Code? {
        let verifier = ReceiptVerifier(policy: try policy(change))
        do throws(ReceiptError) {
            _ = try verifier.verify(receipt, expectation, at: moment)
            return nil
        } catch {
            return error.code
        }
    }

    /// The same for the content with a change, under a good signature.
    func code(content change: (inout ReceiptContent) -> Void) throws -> ReceiptError.Code? {
        var content = content
        change(&content)
        return try code(issuer.sign(content))
    }
}

/// A chain of authorities of any shape, for the checks that no real chain reaches.
struct ReceiptChainForge {
    struct Link {
        var name: String
        var issuer: String
        var extensions: [Certificate.Extension]
        let key = P256.Signing.PrivateKey()

        static func authority(
            _ name: String, issuer: String = "root", pathLength: Int? = nil, isCritical: Bool = true,
            usage: KeyUsage = KeyUsage(keyCertSign: true)
        ) throws -> Link {
            Link(
                name: name, issuer: issuer,
                extensions: [
                    try .init(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength), critical: isCritical),
                    try .init(usage, critical: true),
                ])
        }

        static func signer(issuer: String, usage: KeyUsage = KeyUsage(digitalSignature: true)) throws -> Link {
            Link(
                name: "signer", issuer: issuer,
                extensions: [
                    try .init(BasicConstraints.notCertificateAuthority, critical: true),
                    try .init(usage, critical: true), ReceiptChainForge.receiptSigning,
                ])
        }
    }

    /// What Apple puts into the certificates that sign receipts.
    static let receiptSigning = Certificate.Extension(
        oid: [1, 2, 840, 113635, 100, 12, 15], critical: false, value: [0x05, 0x00])
    static let unknownCritical = Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [0x05, 0x00])

    var links: [Link]
    var root: Link

    /// Takes the links from the signer up; without a root among them, one that allows everything.
    init(_ links: [Link], root: Link? = nil) throws {
        self.links = links
        self.root = try root ?? .authority("root")
    }

    /// From a day before the fixture's moment to a day after it.
    static let validity =
        ReceiptFixture.moment.addingTimeInterval(-86_400)...ReceiptFixture.moment.addingTimeInterval(86_400)

    private func certificate(_ link: Link, _ validity: ClosedRange<Date> = validity) throws -> Certificate {
        let above = ([root] + links).first { $0.name == link.issuer }
        return try Certificate(
            // One for each link; the first bit makes DER write a zero in front.
            version: .v3, serialNumber: .init(bytes: [0x80] + link.key.publicKey.rawRepresentation.prefix(8)),
            publicKey: .init(link.key.publicKey),
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound,
            issuer: DistinguishedName { CommonName(link.issuer) }, subject: DistinguishedName { CommonName(link.name) },
            signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(link.extensions),
            issuerPrivateKey: .init(above?.key ?? link.key))
    }

    func issuer() throws -> TestReceiptIssuer {
        try #require(try issuers(1).first)
    }

    /// Issuers that sign with the first links, and have the very same certificates.
    func issuers(_ count: Int) throws -> [TestReceiptIssuer] {
        let certificates = try links.map { try AttestationForge.der(certificate($0)) }
        return try links.prefix(count).enumerated().map { place, signer in
            try TestReceiptIssuer(key: signer.key, certificates: Array(certificates[place...] + certificates[..<place]))
        }
    }

    /// The root, or another certificate of its name and key.
    func trustRoot(_ validity: ClosedRange<Date> = validity) throws -> TrustRoot {
        try TrustRoot(pem: certificate(root, validity).serializeAsPEM().pemString)
    }
}
