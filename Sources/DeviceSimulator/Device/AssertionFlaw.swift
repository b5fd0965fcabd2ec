/// One thing wrong with an assertion that is otherwise perfect.
///
/// Repeated or falling counters are no flaw of the assertion itself: see ``CounterChoice``.
package enum AssertionFlaw: String, Sendable, Hashable, CaseIterable {
    // MARK: The object

    /// A byte follows the object.
    case trailingByte
    /// The last byte is missing.
    case truncated
    /// The authenticator data end after 36 bytes.
    case authenticatorDataShort
    /// A byte that is no extension map follows the authenticator data's fixed part; signed.
    case authenticatorDataJunk

    // MARK: The signature

    /// It was made by another device's key.
    case keyOfOtherDevice
    /// The counter was raised after signing.
    case counterEdited

    // MARK: What it says

    /// It was made, and signed, for another app.
    case otherAppID
}

/// The counter of an assertion.
package enum CounterChoice: Sendable, Hashable {
    /// The hardware's next one: the only kind that a real phone makes.
    case next
    /// The given one, as a broken or cloned key would sign it; the hardware's counter is unchanged.
    case exactly(UInt32)
}
