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
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: duration) }
            // Ends with the group's cancellation as well: the sleep is over then.
            group.addTask { try? await self.latch.pass() }
            await group.next()
            group.cancelAll()
        }
    }
}
