import AppAttest
import Foundation

/// Nothing but what the test authority signed is a receipt, and no bytes trap what looks behind the signature.
///
/// The keys of the authority and of its signer were thrown away when the corpus was made: what verifies is a receipt
/// that was signed then, and says of the device what it said then.
func fuzzReceipt(_ input: [UInt8]) throws(BrokenProperty) {
    ReceiptProbe.read(input)
    guard let verifier = CorpusReceipts.verifier, let expectation = CorpusReceipts.expectation else {
        throw BrokenProperty(description: "the corpus's root and app are what they are called")
    }
    let verified: VerifiedReceipt
    do throws(ReceiptError) {
        verified = try verifier.verify(input, expectation, at: CorpusReceipts.moment)
    } catch {
        try property((1...13).contains(error.step), "a refusal names its step")
        return
    }
    try property(CorpusReceipts.riskMetrics.contains(verified.riskMetric), "a metric is one of those that were signed")
    try property((verified.type == .renewal) == (verified.riskMetric != nil), "only renewed receipts have a metric")
    try property(verified.createdAt <= verified.expiresAt, "a receipt that verifies has a life")
}

/// The authority and the one device of the receipts in the corpus.
enum CorpusReceipts {
    static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    /// Those of the receipts that verify; receipts of attestations have none.
    static let riskMetrics: Set<Int?> = [nil, 0, 3, 15, 999_999_999]

    static let expectation: ReceiptExpectation? = CorpusDevice.app.flatMap { app in
        Data(base64Encoded: publicKey).map { ReceiptExpectation(appID: app, publicKey: Array($0)) }
    }

    /// Trusts the authority; `nil` if the certificate below could not be read.
    static let verifier: ReceiptVerifier? = {
        guard let root = try? TrustRoot(pem: rootPEM) else { return nil }
        return ReceiptVerifier(policy: ReceiptPolicy(roots: [root], ageMax: nil))
    }()

    private static let publicKey =
        "BNEzQ75YwMuKXFKCzTAf0CeCiIVBO+mYWzgEMGIGJcCXfO3ILXEiUOzl8tiblqk2DhGrH5cFmBgbCEAZo0ptEKk="

    private static let rootPEM = """
        -----BEGIN CERTIFICATE-----
        MIICHjCCAaWgAwIBAgIVAN09ek1eNGCjA/nnxTtPyUfxsGh3MAoGCCqGSM49BAMD
        MF4xITAfBgNVBAMMGFRFU1QgT05MWSBDb3JwdXMgUm9vdCBDQTEkMCIGA1UECgwb
        RGV2aWNlIFNpbXVsYXRvciwgVEVTVCBPTkxZMRMwEQYDVQQIDApDYWxpZm9ybmlh
        MB4XDTI2MDkyMDE0MTMyMFoXDTM2MDkyMDE0MTMyMFowXjEhMB8GA1UEAwwYVEVT
        VCBPTkxZIENvcnB1cyBSb290IENBMSQwIgYDVQQKDBtEZXZpY2UgU2ltdWxhdG9y
        LCBURVNUIE9OTFkxEzARBgNVBAgMCkNhbGlmb3JuaWEwdjAQBgcqhkjOPQIBBgUr
        gQQAIgNiAASmB2dywjKeP6PhEF3QeIlr/K1sot0rZeDKtbBDp+CXiLhvjcxeMTBi
        n/vb50SRr7RnzJ96ZGuWyItvu8J5iNjRalzLtn0yXsqHbt59SxLlAYLm/Yn1Dv9g
        RetoXrqD+P6jIzAhMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoG
        CCqGSM49BAMDA2cAMGQCMAr1lTuPyuCS29iRjlHfBy+erNUdoFYfpet3sZvHTmww
        25LQUoO+ip7858vIn51g5gIwMQHsOlpwqZ375511Mkn2mDNDyySPl2koG8MMasum
        qUx7APzKqFcozXyn7W6/htlD
        -----END CERTIFICATE-----
        """
}
