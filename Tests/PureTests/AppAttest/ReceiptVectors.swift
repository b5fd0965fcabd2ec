import AppAttest
import CBOR
import Foundation
import TestSupport
import Testing

/// A real receipt with what is known about it.
struct ReceiptVector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    let appID: AppID
    let publicKey: [UInt8]
    let environment: AttestEnvironment?
    /// `nil` for renewed receipts, which do not hold it.
    let clientDataHash: [UInt8]?
    let moment: Date
    /// The independent verifier's verdict.
    let expected: String
    let fields: VectorFile.ReceiptFields?

    var type: ReceiptType { clientDataHash == nil ? .renewal : .attestation }

    /// Everything that is known, so that each comparison is made.
    var expectation: ReceiptExpectation {
        ReceiptExpectation(
            appID: appID, publicKey: publicKey, clientDataHash: clientDataHash, type: type, environment: environment,
            token: fields?.token)
    }

    /// What each file with receipts holds, or why it cannot be read.
    private static let files = (VectorFile.names("20") + VectorFile.names("receipt-only")).map { name in
        (name: name, receipts: Result { try read(name) })
    }

    /// Every receipt of the files: inside of attestations, refreshed, and alone; none when the folder is missing.
    static let all: [ReceiptVector] = files.flatMap { (try? $0.receipts.get()) ?? [] }

    /// Files that are not among ``all``, and why: a test reports them.
    static let unreadable: [String] = files.compactMap { file in
        guard case .failure(let error) = file.receipts else { return nil }
        return "\(file.name): \(error)"
    }

    private static func read(_ name: String) throws -> [ReceiptVector] {
        let file = try VectorFile.read(name)
        let (app, key) = (try file.app, Array(try #require(file.publicKeyX963)))
        let environment = file.environment.flatMap(AttestEnvironment.init(rawValue:))
        var vectors: [ReceiptVector] = []
        if let attestation = file.attestation {
            let object = try CBORValue.decode(Array(attestation))
            vectors.append(
                ReceiptVector(
                    testDescription: "\(name), attested", bytes: try #require(object["attStmt"]?["receipt"]?.bytes),
                    appID: app, publicKey: key, environment: environment,
                    clientDataHash: Array(file.clientDataHash ?? Data()),
                    moment: try VectorFile.moment(file.receiptValidAt ?? file.validAt),
                    expected: file.receiptExpected ?? "valid", fields: file.receiptFields))
        }
        for refreshed in file.refreshedReceipts ?? [] {
            vectors.append(
                ReceiptVector(
                    testDescription: "\(name), \(refreshed.validAt)", bytes: Array(refreshed.receipt), appID: app,
                    publicKey: key, environment: environment, clientDataHash: nil,
                    moment: try VectorFile.moment(refreshed.validAt), expected: "valid", fields: refreshed.fields))
        }
        return vectors
    }
}

extension ReceiptError.Code {
    /// The code of the independent verifier, or of the rules it follows, for the same check; `nil` where there is none.
    var vectorCode: String? {
        switch self {
        case .tooLarge, .malformed, .notSignedData: "receipt-not-signedData"
        case .signerCount: "receipt-signers"
        case .signerCertificateMissing: "receipt-signer-cert"
        case .signatureInvalid: "receipt-signature"
        case .chainIncomplete: "receipt-chain-incomplete"
        case .chainSignatureInvalid: "receipt-chain-signature"
        case .rootUntrusted: "receipt-root"
        case .authorityConstraintsMissing: "receipt-ca-no-basic-constraints"
        case .authorityNotAuthority: "receipt-ca-not-a-ca"
        case .authorityKeyUsage: "receipt-ca-no-keyCertSign"
        case .chainNotYetValid: "receipt-chain-not-yet-valid"
        case .chainExpired: "receipt-chain-expired"
        case .payloadMalformed: "receipt-payload-not-SET"
        case .appIDMismatch: "receipt-app-id"
        case .publicKeyMismatch: "receipt-public-key"
        case .clientDataHashMismatch: "receipt-client-hash"
        case .typeMismatch, .environmentMismatch: "receipt-type-or-environment"
        case .stale: "receipt-stale"
        case .expired: "receipt-expired"
        case .certificateMalformed, .algorithmUnsupported, .chainTooLong, .signerIsAuthority, .signerKeyUsage,
            .signerPurpose, .criticalExtensionUnknown, .fieldMissing, .fieldMalformed, .tokenMismatch, .createdLater:
            nil
        }
    }
}
