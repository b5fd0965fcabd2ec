import AppAttest
import Foundation
import Testing

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
