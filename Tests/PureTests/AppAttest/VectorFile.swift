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

    /// Takes the file's app, environment and length of the clientDataHash, which is no SHA-256 in Apple's samples.
    func policy(accessControl: [UInt8]? = nil) throws -> AttestationPolicy {
        let named = try #require(environment.flatMap(AttestEnvironment.init(rawValue:)))
        return AttestationPolicy(
            appIDs: [try app], environments: [named], accessControl: accessControl,
            limits: .init(clientDataHashBytes: clientDataHash?.count ?? 32))
    }

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
