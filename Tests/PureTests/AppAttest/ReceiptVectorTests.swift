import AppAttest
import Foundation
import TestSupport
import Testing

@Suite struct `Real receipts` {
    private static let verifier = ReceiptVerifier()

    @Test func `the receipts are there`() {
        #expect(Vectors.areAvailable, "NO TEST VECTORS: receipts are untested without them")
        #expect(ReceiptVector.all.count >= 64)
        #expect(ReceiptVector.all.filter { $0.type == .renewal }.count >= 20)
        #expect(ReceiptVector.all.filter { $0.expected != "valid" }.map(\.expected) == ["receipt-chain-signature"])
        #expect(VectorCase.all("cases_real.json", "receipt").count >= 7)
    }

    @Test func `every receipt of the index is among them`() throws {
        #expect(ReceiptVector.unreadable == [])
        let entries = try VectorIndex.read().vectors
        let refreshed = entries.reduce(0) { $0 + $1.refreshedReceipts }
        #expect(ReceiptVector.all.count { $0.type == .renewal } == refreshed)
        #expect(ReceiptVector.all.count == entries.count { $0.kind == "attestation" } + refreshed)
    }

    @Test(arguments: ReceiptVector.all)
    func `a real receipt gets its verdict when it was received`(_ vector: ReceiptVector) throws {
        let receipt: VerifiedReceipt
        do throws(ReceiptError) {
            receipt = try Self.verifier.verify(vector.bytes, vector.expectation, at: vector.moment)
        } catch {
            #expect(error.code.vectorCode == vector.expected, "\(error)")
            return
        }
        #expect(vector.expected == "valid")
        let fields = try #require(vector.fields)
        #expect(receipt.type == vector.type && receipt.type.rawValue == fields.type)
        #expect(receipt.appID.text == fields.appId)
        #expect(receipt.publicKey == Array(fields.attestedCertificate.publicKeyX963))
        #expect(receipt.environment == (fields.environment == "sandbox" ? .development : .production))
        #expect(receipt.token == fields.token)
        #expect(receipt.riskMetric == fields.riskMetric.flatMap { Int($0) })
        #expect(isSame(receipt.createdAt, try VectorFile.moment(fields.creationTime)))
        #expect(isSame(receipt.expiresAt, try VectorFile.moment(fields.expirationTime)))
        #expect((receipt.notBefore == nil) == (fields.notBefore == nil))
        if let notBefore = receipt.notBefore {
            #expect(isSame(notBefore, try VectorFile.moment(fields.notBefore)))
        }
        #expect(receipt.isBoundToAttestation == (vector.type == .attestation))
        #expect(receipt.trustRoot == .appleRootG3)
        #expect(receipt.signer == "Application Attestation Fraud Receipt Signing")
        #expect(receipt.signerNotAfter > vector.moment)
    }

    /// Milliseconds are what the files tell.
    private func isSame(_ one: Date, _ other: Date) -> Bool { abs(one.timeIntervalSince(other)) < 0.001 }

    @Test(arguments: VectorCase.all("cases_real.json", "receipt"))
    func `a mutated real receipt gets the expected reason`(_ item: VectorCase) throws {
        let expectation = ReceiptExpectation(
            appID: try item.app, publicKey: Array(try #require(item.publicKeyX963)))
        let (receipt, moment) = (Array(try #require(item.receipt)), try VectorFile.moment(item.receiptValidAt))
        // Twice: the second time the intermediate comes from the cache, and the verdict must not change.
        for _ in 0..<2 {
            let verdict: String?
            do throws(ReceiptError) {
                _ = try Self.verifier.verify(receipt, expectation, at: moment)
                verdict = "valid"
            } catch {
                verdict = error.code.vectorCode
            }
            #expect(verdict == item.expected)
        }
    }

    @Test(arguments: ReceiptVector.all.filter { $0.expected == "valid" })
    func `a real receipt is nobody else's, nor of another time`(_ vector: ReceiptVector) throws {
        func code(at moment: Date, _ change: (inout ReceiptExpectation) -> Void = { _ in }) -> ReceiptError.Code? {
            var expectation = vector.expectation
            change(&expectation)
            do throws(ReceiptError) {
                _ = try Self.verifier.verify(vector.bytes, expectation, at: moment)
                return nil
            } catch {
                return error.code
            }
        }
        let moment = vector.moment
        let other = try #require(AppID(vector.appID.text + ".other"))
        #expect(code(at: moment) { $0.appID = other } == .appIDMismatch)
        #expect(code(at: moment) { $0.publicKey[64] ^= 1 } == .publicKeyMismatch)
        // A renewed receipt holds something else in its place, which is never compared.
        let wrongHash = code(at: moment) { $0.clientDataHash = [1] }
        #expect(wrongHash == (vector.type == .attestation ? .clientDataHashMismatch : nil))
        let otherType: ReceiptType = vector.type == .attestation ? .renewal : .attestation
        #expect(code(at: moment) { $0.type = otherType } == .typeMismatch)
        let otherEnvironment: AttestEnvironment = vector.environment == .production ? .development : .production
        #expect(code(at: moment) { $0.environment = otherEnvironment } == .environmentMismatch)
        #expect(code(at: moment) { $0.token = "" } == .tokenMismatch)
        #expect(code(at: moment.addingTimeInterval(299)) == nil)
        #expect(code(at: moment.addingTimeInterval(301)) == .stale)
        #expect(code(at: moment.addingTimeInterval(-299)) == nil)
        #expect(code(at: moment.addingTimeInterval(-301)) == .createdLater)
        #expect(code(at: moment.addingTimeInterval(-400 * 86_400)) == .chainNotYetValid)
        #expect(code(at: moment.addingTimeInterval(400 * 86_400)) == .chainExpired)
        for seconds in [Double.nan, .infinity, -.infinity] {
            #expect(code(at: Date(timeIntervalSince1970: seconds)) == .chainNotYetValid)
        }
    }

    @Test(arguments: ReceiptVector.all.filter { $0.expected == "valid" }.prefix(3))
    func `Apple's receipts rest on Apple's root alone`(_ vector: ReceiptVector) throws {
        for roots in [[], [TrustRoot.appleAppAttestation]] {
            let error = #expect(throws: ReceiptError.self) {
                try ReceiptVerifier(policy: ReceiptPolicy(roots: roots)).verify(
                    vector.bytes, vector.expectation, at: vector.moment)
            }
            #expect(error?.code == .rootUntrusted)
        }
    }

    @Test func `the embedded root for receipts is Apple's`() throws {
        struct Index: Decodable {
            struct Root: Decodable { var file, sha256: String }
            var roots: [Root]
        }
        let index = try JSONDecoder().decode(Index.self, from: Vectors.data("index.json"))
        let root = try #require(index.roots.first { $0.file.hasSuffix("Apple_Root_CA_G3.pem") })
        #expect(TrustRoot.appleRootG3.sha256 == root.sha256)
        #expect(
            TrustRoot.appleRootG3.sha256 == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        #expect(TrustRoot.appleRootG3.name == "Apple Root CA - G3")
        let pem = String(decoding: try Vectors.data(root.file), as: UTF8.self)
        #expect(try TrustRoot(pem: pem) == .appleRootG3)
    }

    @Test func `every code of the independent verifier has a counterpart, and every code of ours its words`() {
        let codes = Set(ReceiptError.Code.allCases.compactMap(\.vectorCode))
        #expect(codes == Self.codes)
        let cases = VectorCase.all("cases_real.json", "receipt")
        #expect(cases.count >= 7)
        for item in cases {
            #expect(item.expected == "valid" || codes.contains(item.expected ?? ""))
        }
        for code in ReceiptError.Code.allCases {
            #expect(code.rawValue.hasPrefix("RECEIPT_"))
            #expect(code.rawValue.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x41...0x5A).contains($0) })
            #expect(!code.explanation.isEmpty && (1...13).contains(code.step))
        }
        #expect(ReceiptError.Code.allCases.map(\.step) == ReceiptError.Code.allCases.map(\.step).sorted())
    }

    private static let codes: Set = [
        "receipt-not-signedData", "receipt-signers", "receipt-signer-cert", "receipt-signature",
        "receipt-chain-incomplete", "receipt-chain-signature", "receipt-chain-not-yet-valid", "receipt-chain-expired",
        "receipt-root", "receipt-ca-no-basic-constraints", "receipt-ca-not-a-ca", "receipt-ca-no-keyCertSign",
        "receipt-payload-not-SET", "receipt-app-id", "receipt-public-key", "receipt-client-hash",
        "receipt-type-or-environment", "receipt-stale", "receipt-expired",
    ]
}
