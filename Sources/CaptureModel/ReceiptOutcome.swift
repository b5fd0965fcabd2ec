/// How the last request for a device's newer receipt ended, as operators and metrics see it.
package enum ReceiptOutcome: String, Sendable, CaseIterable {
    /// Registered; no newer receipt was requested yet.
    case waiting
    /// A newer receipt replaced it.
    case renewed
    /// It was too early.
    case notYet = "not_yet"
    /// Apple does not know the receipt; the next request comes after a long time.
    case unknown
    /// Apple does not accept our developer key.
    case unauthorized
    /// Apple is overloaded, or answers otherwise than documented.
    case overloaded
    /// Apple's server could not be reached.
    case unreachable
    /// Apple's answer is not a receipt of this key: the present receipt stays.
    case rejected
    /// Apple refuses the receipt; the next request comes after a long time.
    case refused
    /// No further requests: the receipt is invalid or has expired, or its device is revoked, or its key is not trusted.
    ///
    /// Requests resume when the key is trusted again.
    case ended
}
