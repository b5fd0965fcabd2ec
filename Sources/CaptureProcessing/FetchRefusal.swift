import Spell
import Synchronization

/// Whether Redis refuses to give the bytes of captures, which counts as an outage of theirs.
///
/// Only that outage is over when it gives some: of a bundle directory that is away it tells nothing.
final class FetchRefusal: Sendable {
    private let spell = Mutex(Spell())

    /// Notes a refusal.
    func begin() { spell.withLock { _ = $0.begin() } }

    /// Notes that it gives some; whether it had refused to.
    func end() -> Bool { spell.withLock { $0.end() } }
}
