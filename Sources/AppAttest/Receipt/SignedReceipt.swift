/// The parsed envelope of a receipt, unverified: CMS signed data (RFC 5652, 5.1).
///
/// ```
/// SEQUENCE {                                            ContentInfo
///   OBJECT IDENTIFIER signedData
///   [0] { SEQUENCE {                                    SignedData
///     INTEGER version, SET digestAlgorithms
///     SEQUENCE { OBJECT IDENTIFIER data, [0] { OCTET STRING content } }
///     [0] { certificates… }, [1] { revocation lists… }, SET { SignerInfo } } } }
/// ```
///
/// Apple writes all of this with indefinite lengths, and the content in pieces of 1000 bytes; definite lengths and a
/// content in one piece are read as well.
struct SignedReceipt {
    let content: [UInt8]
    let certificates: [X509Certificate]
    let signer: ReceiptSigner

    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// The content type of receipts, 1.2.840.113549.1.7.1.
    static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    /// Reads all the bytes: step 1, and of step 2 the number of signers.
    init(_ bytes: [UInt8], limits: ReceiptPolicy.Limits) throws(ReceiptError) {
        guard bytes.count <= limits.receiptBytesMax else { throw ReceiptError(.tooLarge) }
        let message = try ReceiptError.reading(.malformed) { () throws(BERError) in
            try Message(bytes, limits: limits.ber)
        }
        guard message.type.elementsEqual(Self.signedData) else { throw ReceiptError(.notSignedData) }
        let parts = try ReceiptError.reading(.malformed) { () throws(BERError) in
            try Parts(message.body, certificatesMax: limits.certificatesMax)
        }
        content = parts.content
        var certificates: [X509Certificate] = []
        for der in parts.certificates {
            do {
                certificates.append(try X509Certificate(der: Array(der)))
            } catch {
                throw ReceiptError(.certificateMalformed)
            }
        }
        self.certificates = certificates
        guard let signer = parts.signer else { throw ReceiptError(.signerCount) }
        self.signer = signer
    }

    /// The outermost sequence: what kind of message it is, and the message.
    private struct Message {
        let type: ArraySlice<UInt8>
        let body: BERReader

        init(_ bytes: [UInt8], limits: BERReader.Limits) throws(BERError) {
            var outer = BERReader(bytes[...], limits: limits)
            var message = outer.contents(of: try outer.next(BERElement.sequence))
            try outer.finish()
            type = try message.next(BERElement.objectIdentifier).contents
            body = message.contents(of: try message.next(BERElement.context(0)))
            try message.finish()
        }
    }

    /// The parts of signed data.
    private struct Parts {
        let content: [UInt8]
        let certificates: [ArraySlice<UInt8>]
        /// The one signer; `nil` when there is none, or more than one.
        let signer: ReceiptSigner?

        init(_ body: BERReader, certificatesMax: Int) throws(BERError) {
            var body = body
            var fields = body.contents(of: try body.next(BERElement.sequence))
            try body.finish()
            _ = try fields.next(BERElement.integer)
            _ = try fields.next(BERElement.set)
            let encapsulated = try fields.next(BERElement.sequence)
            content = try Self.content(fields.contents(of: encapsulated))
            let certificates = try fields.optional(BERElement.context(0))
            _ = try fields.optional(BERElement.context(1))
            let signers = try fields.next(BERElement.set)
            try fields.finish()
            self.certificates = try Self.certificates(
                certificates.map { fields.contents(of: $0) }, countMax: certificatesMax)
            signer = try Self.signer(fields.contents(of: signers))
        }

        /// The octets of the content, its pieces put together; no piece consists of pieces itself.
        private static func content(_ encapsulated: BERReader) throws(BERError) -> [UInt8] {
            var encapsulated = encapsulated
            let type = try encapsulated.next(BERElement.objectIdentifier)
            guard type.contents.elementsEqual(SignedReceipt.data) else {
                throw BERError(code: .unexpected, offset: type.contents.startIndex)
            }
            var explicit = encapsulated.contents(of: try encapsulated.next(BERElement.context(0)))
            try encapsulated.finish()
            guard let pieces = try explicit.optional(BERElement.constructedOctetString) else {
                let octets = try explicit.next(BERElement.octetString)
                try explicit.finish()
                return Array(octets.contents)
            }
            try explicit.finish()
            var reader = explicit.contents(of: pieces)
            var content: [UInt8] = []
            while !reader.isAtEnd { content += try reader.next(BERElement.octetString).contents }
            return content
        }

        private static func certificates(
            _ set: BERReader?, countMax: Int
        ) throws(BERError) -> [ArraySlice<UInt8>] {
            guard var set else { return [] }
            var certificates: [ArraySlice<UInt8>] = []
            while !set.isAtEnd {
                let certificate = try set.next(BERElement.sequence).encoded
                guard certificates.count < countMax else {
                    throw BERError(code: .tooMany, offset: certificate.startIndex)
                }
                certificates.append(certificate)
            }
            return certificates
        }

        private static func signer(_ set: BERReader) throws(BERError) -> ReceiptSigner? {
            var set = set
            guard !set.isAtEnd else { return nil }
            let signer = try set.next(BERElement.sequence)
            return set.isAtEnd ? try ReceiptSigner(set.contents(of: signer)) : nil
        }
    }
}

extension ReceiptError {
    /// Maps a fault of the encoding to the given code.
    static func reading<Value>(
        _ code: Code, _ body: () throws(BERError) -> Value
    ) throws(ReceiptError) -> Value {
        do throws(BERError) {
            return try body()
        } catch {
            throw ReceiptError(code, detail: "\(error)")
        }
    }
}
