import AppAttest
import Crypto
import Foundation

/// The device whose attestations and assertions are in the corpora; a simulated one, certified by a test authority.
///
/// Nobody has its key or the authority's any more: whatever else verifies is forged.
enum CorpusDevice {
    static let app = AppID("TEAM123456.com.example.capture")
    static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    static let clientDataHash = Array(SHA256.hash(data: Array("corpus".utf8)))
    static let keyID = Array(SHA256.hash(data: publicKey))
    /// The counters of assertions that verify.
    static let signedCounters: Set<UInt32> = [1, 2, 3, 16, .max]

    static let publicKey: [UInt8] = [
        0x04, 0xC0, 0x0B, 0x5F, 0x7F, 0xCF, 0x63, 0xD1, 0x17, 0x0C, 0x5A, 0x08, 0x7F, 0x88, 0x02, 0x1C,
        0xC8, 0x1B, 0xE6, 0xB9, 0xE1, 0xE2, 0xE3, 0x61, 0x1F, 0x9D, 0xAB, 0x22, 0xA9, 0xA6, 0x88, 0x17,
        0xDF, 0x62, 0xE3, 0x68, 0x95, 0x91, 0x7B, 0x54, 0xE5, 0x54, 0xBC, 0x9E, 0x5B, 0x02, 0xCC, 0x34,
        0x8D, 0xB1, 0x21, 0x39, 0xC4, 0x65, 0x84, 0x39, 0x52, 0x61, 0xD4, 0x6A, 0xB4, 0x4C, 0x47, 0x07,
        0x87,
    ]

    /// Trusts the authority; `nil` if the certificate below could not be read.
    static let verifier: AttestationVerifier? = {
        guard let app, let root = try? TrustRoot(pem: rootPEM) else { return nil }
        return AttestationVerifier(policy: AttestationPolicy(appIDs: [app], roots: [root]))
    }()

    private static let rootPEM = """
        -----BEGIN CERTIFICATE-----
        MIICHjCCAaSgAwIBAgIULPoyPnWZCs0LAmkFbEsvxfKCgrkwCgYIKoZIzj0EAwMw
        XjEhMB8GA1UEAwwYVEVTVCBPTkxZIENvcnB1cyBSb290IENBMSQwIgYDVQQKDBtE
        ZXZpY2UgU2ltdWxhdG9yLCBURVNUIE9OTFkxEzARBgNVBAgMCkNhbGlmb3JuaWEw
        HhcNMjYwOTIwMTQxMzIwWhcNMzYwOTIwMTQxMzIwWjBeMSEwHwYDVQQDDBhURVNU
        IE9OTFkgQ29ycHVzIFJvb3QgQ0ExJDAiBgNVBAoMG0RldmljZSBTaW11bGF0b3Is
        IFRFU1QgT05MWTETMBEGA1UECAwKQ2FsaWZvcm5pYTB2MBAGByqGSM49AgEGBSuB
        BAAiA2IABFZSEYOmCr1ONbuFjEDC5o9H5VkzHP2siBEkc2CR0g7jB2bkm3sP5NuU
        SX5LuTjiIWoEALLcFoG7dh3YPE8AnM11SBJvD3Jsky7ABAAu9kJc2hmVodcpiCUO
        GmCDA47vqqMjMCEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwCgYI
        KoZIzj0EAwMDaAAwZQIwdDAb+WCInWNPUUxJsPz916KAx9+ot8GPEwyolLpnFfmv
        CiejjvGwwf42rO+hJMneAjEAh4Cmcc8p5OuhwuWkZeA0GaMLGSXgkMJlHfcjg0dW
        beF/hTdLuEQlM5LvdobxBWFE
        -----END CERTIFICATE-----
        """
}
