import CaptureModel
import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a receipt with a verified signature: a SET OF SEQUENCE { field, version, OCTET STRING value }.
///
/// The order of the fields differs by type and means nothing; unknown fields are ignored.
struct ReceiptPayload {
    let type: ReceiptType?
    let appID: ArraySlice<UInt8>
    /// The attested key as X9.63; `nil` when it is not one of P-256.
    let publicKey: [UInt8]?
    let clientDataHash: ArraySlice<UInt8>?
    let token: String
    /// `nil` when the field is missing, which Apple does not document.
    let environment: AttestEnvironment?
    let createdAt: Date
    let notBefore: Date?
    let expiresAt: Date
    let riskMetric: Int?

    private enum Number: Int {
        case appID = 2
        case certificate = 3
        case clientDataHash = 4
        case token = 5
        case type = 6
        case environment = 7
        case createdAt = 12
        case riskMetric = 17
        case notBefore = 19
        case expiresAt = 21
    }

    /// Reads all fields of step 7.
    init(_ content: [UInt8], limits: BERReader.Limits) throws(ReceiptError) {
        let fields = try ReceiptError.reading(.payloadMalformed) { () throws(BERError) in
            try Fields(content, limits: limits)
        }
        type = ReceiptType(rawValue: try fields.text(.type))
        let isRenewal = type == .renewal
        appID = try fields.required(.appID)
        publicKey = try Self.publicKey(in: try fields.required(.certificate))
        clientDataHash = fields[.clientDataHash]
        token = try fields.text(.token)
        environment = fields[.environment] == nil ? nil : try Self.environment(try fields.text(.environment))
        createdAt = try fields.time(.createdAt)
        expiresAt = try fields.time(.expiresAt)
        notBefore = isRenewal || fields[.notBefore] != nil ? try fields.time(.notBefore) : nil
        riskMetric = isRenewal || fields[.riskMetric] != nil ? try fields.number(.riskMetric) : nil
    }

    private static func environment(_ name: String) throws(ReceiptError) -> AttestEnvironment {
        switch name {
        case "production": .production
        case "sandbox": .development
        default: throw ReceiptError(.fieldMalformed, detail: "\(Number.environment.rawValue)")
        }
    }

    /// Field 3 is the whole certificate of the attestation.
    private static func publicKey(in der: ArraySlice<UInt8>) throws(ReceiptError) -> [UInt8]? {
        do {
            return try X509Certificate(der: Array(der)).p256PublicKey.map { Array($0.x963Representation) }
        } catch {
            throw ReceiptError(.fieldMalformed, detail: "\(Number.certificate.rawValue)")
        }
    }

    /// The values by their numbers.
    private struct Fields {
        private var values: [Int: ArraySlice<UInt8>] = [:]

        init(_ content: [UInt8], limits: BERReader.Limits) throws(BERError) {
            var reader = BERReader(content[...], limits: limits)
            var set = reader.contents(of: try reader.next(BERElement.set))
            try reader.finish()
            while !set.isAtEnd {
                let entry = try set.next(BERElement.sequence)
                var parts = set.contents(of: entry)
                let number = try parts.next(BERElement.integer).contents
                _ = try parts.next(BERElement.integer)
                let value = try parts.next(BERElement.octetString).contents
                try parts.finish()
                // Apple's numbers are small; a larger one has no meaning here, but must not occur twice either.
                guard (1...4).contains(number.count) else {
                    throw BERError(code: .unexpected, offset: number.startIndex)
                }
                let key = number.reduce(0) { $0 << 8 | Int($1) }
                guard values.updateValue(value, forKey: key) == nil else {
                    throw BERError(code: .unexpected, offset: entry.encoded.startIndex)
                }
            }
        }

        subscript(_ number: Number) -> ArraySlice<UInt8>? { values[number.rawValue] }

        func required(_ number: Number) throws(ReceiptError) -> ArraySlice<UInt8> {
            guard let value = self[number] else { throw ReceiptError(.fieldMissing, detail: "\(number.rawValue)") }
            return value
        }

        func text(_ number: Number) throws(ReceiptError) -> String {
            guard let text = String(validating: try required(number), as: UTF8.self) else {
                throw ReceiptError(.fieldMalformed, detail: "\(number.rawValue)")
            }
            return text
        }

        func time(_ number: Number) throws(ReceiptError) -> Date {
            guard let time = ReceiptTime.date(try required(number)) else {
                throw ReceiptError(.fieldMalformed, detail: "\(number.rawValue)")
            }
            return time
        }

        /// A decimal number of at most nine digits.
        func number(_ number: Number) throws(ReceiptError) -> Int {
            let digits = try required(number)
            guard (1...9).contains(digits.count), digits.allSatisfy(\.isDecimalDigit) else {
                throw ReceiptError(.fieldMalformed, detail: "\(number.rawValue)")
            }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }
}
