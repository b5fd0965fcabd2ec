import Synchronization
import X509

/// An intermediate authority that a pinned root signed and that has the constraints of an authority.
struct VerifiedIntermediate: Sendable {
    let certificate: X509Certificate
    let key: Certificate.PublicKey
    /// Every pinned root that signed it, in the order of the policy.
    ///
    /// All are kept, because which of them are valid changes while the entry stays. For attestations they are the roots
    /// that allow this intermediate; for receipts that depends on the chain below, so all that signed it are listed.
    let roots: [TrustRoot]
}

/// Remembers verified intermediates by their exact bytes: every known device sends the same one.
///
/// Only certificates that a pinned root signed are added, so no sender can fill it. Validity is still checked at each
/// use.
final class IntermediateCache: Sendable {
    private let capacity: Int
    private let entries = Mutex<[[UInt8]: VerifiedIntermediate]>([:])

    init(capacity: Int) {
        self.capacity = capacity
    }

    func find(_ der: [UInt8]) -> VerifiedIntermediate? {
        entries.withLock { $0[der] }
    }

    /// Adds one; a full cache is emptied first, since more than a few authorities at once are not expected.
    func insert(_ intermediate: VerifiedIntermediate) {
        guard capacity > 0 else { return }
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[intermediate.certificate.der] = intermediate
        }
    }
}
