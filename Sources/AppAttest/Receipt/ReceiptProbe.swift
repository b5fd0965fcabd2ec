#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads any bytes in every way in which a receipt is read: the entry point for fuzzing.
package enum ReceiptProbe {
    /// Also runs the code behind the signature and the chain, which no made-up bytes pass.
    ///
    /// Returns whatever the bytes are; a trap or a hang is a bug. It takes linear time and reads no more bytes than the
    /// limits allow.
    package static func read(_ bytes: [UInt8]) {
        let limits = ReceiptPolicy.Limits()
        read(content: bytes, limits)
        // Which error the bytes cause does not matter, only that they cause one.
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
