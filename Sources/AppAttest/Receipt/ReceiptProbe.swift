import FoundationEssentials

/// Reads any bytes in every way in which those of a receipt are read: the entry point for fuzzing.
package enum ReceiptProbe {
    /// Goes behind the checks that no made-up bytes pass: the signature and the chain stop nothing here.
    ///
    /// Returns whatever the bytes are; a trap or a hang is a bug. Takes time in proportion to the bytes, of which no
    /// more than the limits allow are read.
    package static func read(_ bytes: [UInt8]) {
        let limits = ReceiptPolicy.Limits()
        read(content: bytes, limits)
        // What is wrong with the bytes does not matter: that something says so is what is wanted.
        guard let envelope = try? SignedReceipt(bytes, limits: limits) else { return }
        _ = envelope.signer.attributesCover(envelope.content)
        for certificate in envelope.certificates { _ = certificate.commonName }
        if let signer = envelope.certificates.first {
            _ = try? chains.verify(signer, among: envelope.certificates, at: Date(timeIntervalSince1970: 0))
        }
        read(content: envelope.content, limits)
    }

    private static func read(content: [UInt8], _ limits: ReceiptPolicy.Limits) {
        guard content.count <= limits.receiptBytesMax else { return }
        _ = try? ReceiptPayload(content, limits: limits.ber)
        _ = ReceiptTime.date(content[...])
    }

    private static let chains = ReceiptChainVerifier(
        roots: [.appleRootG3], authoritiesMax: ReceiptPolicy.Limits().authoritiesMax,
        cache: IntermediateCache(capacity: 0))
}
