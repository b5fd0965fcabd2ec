/// What became of asking for a device's newer receipt last, as operators and metrics see it.
public enum ReceiptOutcome: String, Sendable, CaseIterable {
    /// Registered, never asked for.
    case waiting
    /// A newer one took its place.
    case renewed
    /// It was too early.
    case notYet = "not_yet"
    /// Apple knows nothing of it; asked for again after a long time.
    case unknown
    /// Apple does not take our developer key.
    case unauthorized
    /// Apple has too much to do, or answers otherwise than documented.
    case overloaded
    /// Apple's server was not reached.
    case unreachable
    /// What Apple sent is not this key's receipt: the one that is held stays.
    case rejected
    /// Apple does not take it; asked again after a long time.
    case refused
    /// The receipt that is held is not good, is over, or its device was revoked or its key is not taken: not asked
    /// again, unless the key is taken again.
    case ended
}
