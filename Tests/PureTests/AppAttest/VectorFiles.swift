import AppAttest
import Foundation
import TestSupport
import Testing

/// A file of real evidence, or of cases made from it.
struct VectorFile: Decodable {
    var kind: String
    var id: String?
    var appId: String?
    var environment: String?
    var keyId: Data?
    var clientDataHash: Data?
    var attestation: Data?
    var validAt: String?
    var publicKeyX963: Data?
    var osVersion: String?
    var leafNotBefore: String?
    var leafNotAfter: String?
    var expected: String?
    var receiptValidAt: String?
    var receiptExpected: String?
    var receiptFields: ReceiptFields?
    var refreshedReceipts: [RefreshedReceipt]?
    var assertions: [Assertion]?
    var base: String?
    var trustRoot: String?
    var defaults: VectorCase?
    var cases: [VectorCase]?
    var items: [Assertion]?

    struct Assertion: Decodable {
        var assertion: Data
        var clientDataHash: Data?
        var counter: UInt32?
        var previousCounter: Int64?
        var appId: String?
    }

    /// What a receipt says, as the independent verifier read it.
    struct ReceiptFields: Decodable, Sendable {
        struct Certificate: Decodable, Sendable { var publicKeyX963: Data }

        var appId: String
        var attestedCertificate: Certificate
        var token: String
        var type: String
        var environment: String
        var creationTime: String
        var notBefore: String?
        var expirationTime: String
        var riskMetric: String?
    }

    struct RefreshedReceipt: Decodable {
        var receipt: Data
        var validAt: String
        var fields: ReceiptFields
    }

    var app: AppID { get throws { try #require(appId.flatMap { AppID($0) }) } }

    static func read(_ name: String) throws -> VectorFile {
        try JSONDecoder().decode(VectorFile.self, from: Vectors.data(name))
    }

    /// The names of the files that are there and begin like this; none when the folder is
    /// missing, which a test reports.
    static func names(_ prefix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Vectors.directory.path)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }.sorted()
    }

    /// The files with assertions of real devices, and those that cannot be read, which a test then reports.
    static let namesWithAssertions = (names("20") + names("assertion-only")).filter { name in
        (try? read(name)).map { $0.assertions?.isEmpty == false } ?? true
    }

    /// A time as the files write it.
    static func moment(_ text: String?) throws -> Date {
        let text = try #require(text)
        return try Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")).parse(text)
    }
}

/// What the folder says that it holds: what is tested is held against it.
struct VectorIndex: Decodable {
    struct Entry: Decodable {
        var file: String
        var kind: String
        var assertions: Int
        var refreshedReceipts: Int
    }

    var vectors: [Entry]
    var caseSets: [String]

    static func read() throws -> VectorIndex {
        try JSONDecoder().decode(VectorIndex.self, from: Vectors.data("index.json"))
    }
}

/// One case of a case set; what it leaves out comes from the set's base or defaults.
struct VectorCase: Decodable, Sendable {
    var target: String?
    var name: String?
    var expected: String?
    var attestation: Data?
    var assertion: Data?
    var keyId: Data?
    var clientDataHash: Data?
    var appId: String?
    var environment: String?
    var validAt: String?
    var publicKeyX963: Data?
    var previousCounter: Int64?
    var receipt: Data?
    var receiptValidAt: String?

    var app: AppID { get throws { try #require(appId.flatMap { AppID($0) }) } }

    func filled(from base: VectorFile?, _ defaults: VectorCase?) -> VectorCase {
        var filled = self
        filled.attestation = attestation ?? base?.attestation ?? defaults?.attestation
        filled.keyId = keyId ?? base?.keyId ?? defaults?.keyId
        filled.clientDataHash = clientDataHash ?? base?.clientDataHash ?? defaults?.clientDataHash
        filled.appId = appId ?? base?.appId ?? defaults?.appId
        filled.environment = environment ?? base?.environment ?? defaults?.environment
        filled.validAt = validAt ?? base?.validAt ?? defaults?.validAt
        filled.publicKeyX963 = publicKeyX963 ?? base?.publicKeyX963 ?? defaults?.publicKeyX963
        return filled
    }

    /// The cases of a set for one target, filled in; none when the folder is missing, which a test reports.
    static func all(_ file: String, _ target: String) -> [VectorCase] {
        guard let set = try? VectorFile.read(file) else { return [] }
        let base = set.base.flatMap { try? VectorFile.read($0) }
        return (set.cases ?? []).filter { $0.target == target }.map { $0.filled(from: base, set.defaults) }
    }
}

extension VectorCase: CustomTestStringConvertible {
    var testDescription: String { "\(name ?? "") → \(expected ?? "")" }
}

extension AttestationError.Code {
    /// The code of the independent verifier for the same check; nil where it does not check.
    var vectorCode: String? {
        switch self {
        case .attestationTooLarge, .attestationMalformed: "attestation-cbor"
        case .attestationTrailingBytes: "attestation-trailing-bytes"
        case .attestationNotAMap: "attestation-not-a-map"
        case .formatUnknown: "fmt"
        case .attestationIncomplete: "attestation-shape"
        case .certificateCount: "x5c"
        case .receiptMissing: "receipt-missing"
        case .certificateMalformed: "x5c-certificate-der"
        case .leafIssuerMismatch: "chain-leaf-issuer-name"
        case .leafSignatureInvalid: "chain-leaf-signature"
        case .intermediateIssuerMismatch: "chain-intermediate-issuer-name"
        case .intermediateSignatureInvalid: "chain-intermediate-signature"
        case .intermediateConstraintsMissing: "chain-intermediate-no-basic-constraints"
        case .intermediateNotAuthority: "chain-intermediate-not-a-ca"
        case .intermediateKeyUsage: "chain-intermediate-no-keyCertSign"
        case .leafIsAuthority: "chain-leaf-is-ca"
        case .leafNotYetValid: "leaf-not-yet-valid"
        case .leafExpired: "leaf-expired"
        case .intermediateNotYetValid: "intermediate-not-yet-valid"
        case .intermediateExpired: "intermediate-expired"
        case .rootNotYetValid: "root-not-yet-valid"
        case .rootExpired: "root-expired"
        case .nonceMissing: "nonce-extension-missing"
        case .nonceMalformed: "nonce-extension-malformed"
        case .nonceMismatch: "nonce"
        case .leafKeyType: "leaf-key-type"
        case .keyIDMismatch: "key-id"
        case .authenticatorDataShort: "authdata-short"
        case .credentialMissing: "authdata-no-AT"
        case .credentialIDLength: "credential-id-length"
        case .publicKeyMalformed: "cose-cbor"
        case .publicKeyUnsupported: "cose-key"
        case .extensionsMalformed: "extensions-cbor"
        case .extensionsTrailingBytes: "extensions-trailing-bytes"
        case .extensionsNotAMap: "extensions-not-a-map"
        case .extensionsMissing: "ED-without-extensions"
        case .rpIDMismatch: "rp-id"
        case .counterNotZero: "counter-not-zero"
        case .environmentUnknown: "aaguid-unknown"
        case .environmentMismatch: "aaguid-environment"
        case .credentialIDMismatch: "credential-id"
        case .publicKeyMismatch: "cose-key-mismatch"
        case .pathTooLong, .leafKeyUsage, .criticalExtensionUnknown, .appIDMismatch, .validationCategoryNotAllowed,
            .bundleVersionNotAllowed, .accessControlMismatch, .receiptRejected, .rootMalformed:
            nil
        }
    }
}

extension AssertionError.Code {
    /// The code of the independent verifier for the same check; nil where it does not check.
    var vectorCode: String? {
        switch self {
        case .assertionTooLarge, .assertionMalformed: "assertion-cbor"
        case .assertionTrailingBytes: "assertion-trailing-bytes"
        case .assertionNotAMap: "assertion-not-a-map"
        case .assertionIncomplete: "assertion-shape"
        case .signatureInvalid: "signature"
        case .authenticatorDataShort: "authdata-short"
        case .extensionsMalformed: "extensions-cbor"
        case .extensionsTrailingBytes: "extensions-trailing-bytes"
        case .extensionsNotAMap: "extensions-not-a-map"
        case .extensionsMissing: "ED-without-extensions"
        case .rpIDMismatch: "rp-id"
        case .counterNotGreater: "counter"
        case .publicKeyMalformed, .validationCategoryNotAllowed, .bundleVersionNotAllowed,
            .validationCategoryBelowAttested, .bundleVersionBelowAttested:
            nil
        }
    }
}
