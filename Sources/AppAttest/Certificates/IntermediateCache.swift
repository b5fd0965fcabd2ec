import Synchronization
import X509

/// An intermediate authority that a pinned root signed and that has the constraints of one.
struct VerifiedIntermediate: Sendable {
    let certificate: X509Certificate
    let key: Certificate.PublicKey
    /// Every pinned root that signed it, in the order of the policy: which one is in force changes with time, and what
    /// is remembered outlives that.
    ///
    /// Of an attestation's, those that allow it; above a receipt's, which ones do depends on the chain below it.
    let roots: [TrustRoot]
}

/// Remembers verified intermediates by their exact bytes: every known device sends the same one.
///
/// Only what a pinned root signed gets in, so no sender can fill it; validity is checked at each use all the same.
final class IntermediateCache: Sendable {
    private let capacity: Int
    private let entries = Mutex<[[UInt8]: VerifiedIntermediate]>([:])

    init(capacity: Int) {
        self.capacity = capacity
    }

    func find(_ der: [UInt8]) -> VerifiedIntermediate? {
        entries.withLock { $0[der] }
    }

    /// Adds one; when full it starts over, since more than a few authorities at once are not to be expected.
    func insert(_ intermediate: VerifiedIntermediate) {
        guard capacity > 0 else { return }
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[intermediate.certificate.der] = intermediate
        }
    }
}
