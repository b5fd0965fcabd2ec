import AppAttest
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

/// Which certificates are taken as roots.
@Suite struct `Trust roots` {
    private static let moment = Date(timeIntervalSince1970: 1_790_000_000)

    /// PEM of a certificate that has signed itself with a key of P-256.
    private static func pem(
        _ extensions: [Certificate.Extension], commonName: String = "TEST ONLY Root"
    ) throws -> String {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName(commonName) }
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: moment,
            notValidAfter: moment.addingTimeInterval(86_400), issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(extensions),
            issuerPrivateKey: .init(key)
        ).serializeAsPEM().pemString
    }

    private func expectMalformed(_ pem: String) {
        let error = #expect(throws: AttestationError.self) { try TrustRoot(pem: pem) }
        #expect(error?.code == .rootMalformed && error?.step == nil)
    }

    @Test(arguments: ["", "junk", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"])
    func `what is not a certificate is no root`(_ pem: String) { expectMalformed(pem) }

    @Test func `two certificates are no root`() throws {
        let pem = try Self.pem([])
        #expect(throws: Never.self) { try TrustRoot(pem: pem) }
        expectMalformed("\(pem)\n\(pem)\n")
    }

    /// No chain could end in it: only signatures of ECDSA are verified.
    @Test func `a certificate with a key of RSA is no root`() { expectMalformed(Self.rsaPEM) }

    @Test(arguments: [true, false])
    func `a certificate that says it is no authority is no root`(isCritical: Bool) throws {
        expectMalformed(
            try Self.pem([Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: isCritical)]))
    }

    @Test func `a certificate whose constraints cannot be read is no root`() throws {
        expectMalformed(
            try Self.pem([.init(oid: .X509ExtensionID.basicConstraints, critical: true, value: [0x05, 0x00])]))
    }

    /// Who renews a root keeps its key; anybody may use its name.
    @Test func `two roots are of one authority if they have one name and one key`() throws {
        let forge = AttestationForge()
        var renewed = forge
        renewed.rootNotAfter += 1e8
        let root = try forge.trustRoot()
        #expect(try renewed.trustRoot() != root && renewed.trustRoot().isOfSameAuthority(as: root))
        #expect(try !AttestationForge().trustRoot().isOfSameAuthority(as: root))
        #expect(!TrustRoot.appleAppAttestation.isOfSameAuthority(as: root))
    }

    @Test(arguments: [nil, 0, 1])
    func `an authority is a root, with and without a bound for its path`(length: Int?) throws {
        let constraints = BasicConstraints.isCertificateAuthority(maxPathLength: length)
        let pem = try Self.pem([Certificate.Extension(constraints, critical: true)])
        #expect(try TrustRoot(pem: pem).name == "TEST ONLY Root")
    }

    /// The record keeps the name of the root that a device was attested under.
    @Test func `a root's name can be stored, whatever its certificate says`() throws {
        let root = try TrustRoot(pem: Self.pem([], commonName: "TEST\0ONLY\0"))
        #expect(root.name == "TEST\u{FFFD}ONLY\u{FFFD}")
    }

    private static let rsaPEM = """
        -----BEGIN CERTIFICATE-----
        MIIDHTCCAgWgAwIBAgIUEquzdjyGWw8GuqLnikUXjkdRTK8wDQYJKoZIhvcNAQEL
        BQAwHTEbMBkGA1UEAwwSVEVTVCBPTkxZIFJTQSBSb290MCAXDTI2MTEyODA0MDEz
        OFoYDzIxMjYxMTA0MDQwMTM4WjAdMRswGQYDVQQDDBJURVNUIE9OTFkgUlNBIFJv
        b3QwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCTngw+P6djx0hUBcGk
        ylbpHLBSfgryqWry6zqRRnzA/amrr5QH6cMHxD29Cp0JMtnYVbU9DS0P8d+fLtx9
        cBsRF6uHVzDLG7lKkuZMJyb8E1VeWF2sY8QeTWleEcnH02SnPHDCBXrgD6QWgqVX
        d1xbp/lEFxAZbVDYgB0laxR6g/EiV4UU9gqqCzXldzuHuqJw4RCgH/84c78pzYoT
        MHWB8nALNyk6wB44ukcaZMP/DLQV97dr67S+Bv0VyW/F1ZHsQ9taJw0qM694hyO+
        gejcf7419WclrTSonzNcviyvjhmmuobglUGMNddKGvrUJTnA8zEuSe3rI8MJiFcG
        zYUfAgMBAAGjUzBRMB0GA1UdDgQWBBS07XQa8lhIlYUra1wyhkTU1f/3cjAfBgNV
        HSMEGDAWgBS07XQa8lhIlYUra1wyhkTU1f/3cjAPBgNVHRMBAf8EBTADAQH/MA0G
        CSqGSIb3DQEBCwUAA4IBAQAG0WXyajI8DYMrshRt6rqsaH1TJai5kE1ymM0GdYTB
        P3qfbUm0DugsZcs+a3Ezxm+sc2PVoor/mSkuTCcB3+lgOco8XdJm4mn2pTYjpBAp
        WCLgFzdMUZlK/DSCV5m14b7IxIZ4tzfPXG9iAzmDULwlPpXNPW3x7PXyES9/wVWC
        FlWSYaBNxm2Mz8vUH3cc7Cr+5T20Uasy2BDygrYaZVW9iQH+MvD3eKlCTpesPLri
        JXX9BVIYMOK6sG85zLrEFy5ik3HQdVcaIAlPsekRfdC4io+v4pM140+IGc0RVBKt
        WUwrI2WOLrpDsPKgBREwjY7VfjeX/h9qnt3ZFa3mK7ld
        -----END CERTIFICATE-----
        """
}
