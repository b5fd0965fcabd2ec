import Dispatch
import Observability
import ServiceLifecycle
import Synchronization

/// Gives freed memory back to the system.
///
/// The C library gives back only the end of a heap, and every heap has some small block there that stays. So each keeps
/// its own peak: after a wave of requests a gateway would hold 700 MiB and use 6 of them, and the peaks of all heaps
/// would add up from wave to wave.
package final class MemoryReturn: Service {
    /// The time between two looks.
    private static let interval = DispatchTimeInterval.seconds(2)

    /// Blocks, and so has a thread that is nobody else's.
    private let queue = DispatchQueue(label: "memory return")
    private let state = Mutex(MemoryReturnState())

    /// Looks at nothing before ``run()``.
    package init() {}

    /// Looks again and again until graceful shutdown or cancellation.
    package func run() async throws {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler { self.look() }
        timer.resume()
        // Ends with the service group's cancellation as well: either way there is nothing left to do.
        try? await gracefulShutdown()
        timer.cancel()
    }

    private func look() {
        guard let held = ResidentMemory.bytes() else { return }
        let start = ContinuousClock.now
        let freed = state.withLock {
            $0.freedBytesDue(at: start, processorTime: ProcessorTime.used(), held: held, freed: FreedMemory.bytes)
        }
        guard let freed else { return }
        let before = HeldMemory(bytes: held, freedBytes: freed)
        FreedMemory.giveBack()
        var returned = 0
        if let held = ResidentMemory.bytes(), let freed = FreedMemory.bytes() {
            returned = before.bytesReturned(until: HeldMemory(bytes: held, freedBytes: freed))
        }
        state.withLock { $0.gaveBack(returned, from: start, to: .now) }
    }
}
