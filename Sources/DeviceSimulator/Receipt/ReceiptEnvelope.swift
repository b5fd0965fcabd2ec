import Crypto

/// Writes CMS signed data in the form of Apple's receipts: indefinite lengths, the content in pieces of 1000 bytes.
struct ReceiptEnvelope {
    /// The certificates as DER, the signer's first.
    var certificates: [[UInt8]]
    /// The issuer's name in the signer's certificate, as DER.
    var issuer: [UInt8]
    /// The serial number of the signer's certificate, as DER.
    var serialNumber: [UInt8]
    var form: ReceiptForm
    var flaw: ReceiptFlaw?

    private static let pieceBytes = 1000
    private static let cms: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01]
    private static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    private static let ecdsaWithSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]

    /// Signs the content and makes the message.
    func message(_ content: [UInt8], key: P256.Signing.PrivateKey) throws(SimulatorError) -> [UInt8] {
        let attributes = form.attributes(content)
        let covered = form == .attributesSigned ? BERWriter.definite(BERWriter.set, attributes) : content
        var signature = Array(try SimulatedDevice.sign(covered, with: key).derRepresentation)
        // The last byte is the end of s.
        if flaw == .signature { signature[signature.count - 1] ^= 1 }
        var content = content
        if flaw == .contentEdited { content[content.count - 1] ^= 1 }
        let signer = signer(attributes, signature)
        let signers: [UInt8] =
            switch flaw {
            case .signerMissing: []
            case .signerTwice: signer + signer
            default: signer
            }
        var data = BERWriter.definite(0x02, [1])
        data += BERWriter.definite(BERWriter.set, algorithm(Self.sha256, null: true))
        data += wrap(BERWriter.sequence, encapsulated(content))
        data += wrap(0xA0, chain().flatMap(\.self))
        data += BERWriter.definite(BERWriter.set, signers)
        let type = BERWriter.definite(0x06, Self.cms + (flaw == .notSignedData ? [0x07, 0x03] : [0x07, 0x02]))
        let message = wrap(BERWriter.sequence, type + wrap(0xA0, wrap(BERWriter.sequence, data)))
        return switch flaw {
        case .trailingByte: message + [0]
        case .truncated: Array(message.dropLast())
        default: message
        }
    }

    private func wrap(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        form == .definite ? BERWriter.definite(identifier, contents) : BERWriter.indefinite(identifier, contents)
    }

    private func algorithm(_ identifier: [UInt8], null: Bool) -> [UInt8] {
        BERWriter.definite(BERWriter.sequence, BERWriter.definite(0x06, identifier) + (null ? [0x05, 0x00] : []))
    }

    private func encapsulated(_ content: [UInt8]) -> [UInt8] {
        let type = BERWriter.definite(0x06, Self.cms + (flaw == .otherContentType ? [0x07, 0x05] : [0x07, 0x01]))
        guard flaw != .contentMissing else { return type }
        guard form != .definite else { return type + wrap(0xA0, BERWriter.definite(0x04, content)) }
        var pieces: [[UInt8]] = []
        for start in stride(from: 0, to: content.count, by: Self.pieceBytes) {
            pieces.append(
                BERWriter.definite(0x04, Array(content[start..<min(start + Self.pieceBytes, content.count)])))
        }
        if flaw == .contentNested { pieces[0] = BERWriter.indefinite(0x24, pieces[0]) }
        return type + wrap(0xA0, BERWriter.indefinite(0x24, pieces.flatMap(\.self)))
    }

    private func chain() -> [[UInt8]] {
        var chain = certificates
        switch flaw {
        case .certificateMalformed: chain.append(BERWriter.definite(BERWriter.sequence, [0x05, 0x00]))
        case .certificatesMany: while chain.count < 9 { chain.append(chain[chain.count - 1]) }
        case .signerCertificateMissing: chain.removeFirst()
        case .signerCertificateTwice: chain.insert(chain[0], at: 0)
        case .intermediateMissing: chain.removeSubrange(1...)
        case .signerCertificateSignature: chain[0][chain[0].count - 1] ^= 1
        default: break
        }
        return chain
    }

    private func signer(_ attributes: [UInt8], _ signature: [UInt8]) -> [UInt8] {
        var (serial, digest, algorithm) = (serialNumber, Self.sha256, Self.ecdsaWithSHA256)
        switch flaw {
        case .otherSerialNumber: serial[serial.count - 1] ^= 1
        case .otherDigest: digest[digest.count - 1] = 0x02
        case .otherAlgorithm: algorithm[algorithm.count - 1] = 0x03
        default: break
        }
        var parts = BERWriter.definite(0x02, [1])
        parts += BERWriter.definite(BERWriter.sequence, issuer + serial)
        parts += self.algorithm(digest, null: true)
        if !attributes.isEmpty { parts += BERWriter.definite(0xA0, attributes) }
        parts += self.algorithm(algorithm, null: false)
        parts += BERWriter.definite(0x04, signature)
        return BERWriter.definite(BERWriter.sequence, parts)
    }
}
