/// Where a call waits until a test lets it go on.
final class Gate: Sendable {
    private let arrivals = AsyncStream<Void>.makeStream()
    private let departures = AsyncStream<Void>.makeStream()

    /// Waits until the gate is opened.
    func pass() async {
        arrivals.continuation.yield()
        for await _ in departures.stream {}
    }

    /// Returns when somebody waits.
    func untilReached() async {
        for await _ in arrivals.stream { return }
    }

    /// Lets everybody through.
    func open() { departures.continuation.finish() }
}
