package import CaptureModel

/// The counter rule itself, for one key: what the settling transaction does in SQL, as a value.
///
/// Serves the memory store, and the tests as the yardstick for PostgreSQL.
package struct CounterLedger: Sendable, Equatable {
    /// The highest counter taken; 0 when there is none.
    package private(set) var highest: UInt32 = 0
    /// Every counter taken.
    private var used: Set<UInt32> = []

    /// Starts with no counter taken.
    package init() {}

    /// Takes a counter, or says why it cannot be taken: what the check of it says.
    ///
    /// `strict`: greater than the highest one. `window(n)`: not used, and greater than the highest one − n (RFC 4303
    /// section 3.4.3). Never 0: an App Attest key's first assertion has counter 1.
    /// - Parameter floor: What takes the highest one's place, for a registration that was superseded.
    package mutating func take(_ counter: UInt32, policy: CounterPolicy, floor: UInt32? = nil) -> Check {
        if used.contains(counter) { return Check(.counter, .fail, .counterReplay) }
        let back: Int64 =
            switch policy {
            case .strict: 0
            case .window(let size): Int64(size)
            }
        let floor = floor ?? highest
        guard Int64(counter) > max(Int64(floor) - back, 0) else {
            return Check(.counter, .fail, .counterStale)
        }
        used.insert(counter)
        highest = max(highest, counter)
        if counter < floor { return Check(.counter, .pass, .counterOutOfOrder) }
        return Check(.counter, .pass)
    }
}
