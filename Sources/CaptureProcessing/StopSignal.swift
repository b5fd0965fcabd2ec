import Latch

/// Tells the duties of a worker to stop, once, and wakes those that sleep.
final class StopSignal: Sendable {
    private let latch = Latch()

    /// Whether the duties are to stop.
    var isSignalled: Bool { latch.isOpen }

    /// Since when they are to stop.
    var signalledAt: ContinuousClock.Instant? { latch.openedAt }

    /// Tells the duties to stop.
    ///
    /// Signalling again does nothing.
    func signal() { latch.open() }

    /// Sleeps, but not past the signal.
    func sleep(for duration: Duration) async {
        await latch.wait(for: duration)
    }
}
