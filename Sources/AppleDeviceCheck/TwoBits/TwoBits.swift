/// The two bits that Apple keeps for a team on a device; they survive a reinstallation and an erased device.
public enum TwoBits: Sendable, Equatable {
    /// They were never set.
    case neverSet
    /// Their values, and the month in which they were set: `2026-04`.
    case set(bit0: Bool, bit1: Bool, lastUpdate: String)
}
