import Waiting

/// Lets rounds of work run side by side, but a suspect alone.
///
/// A capture whose last worker was lost may end this worker, too. Nothing else is under way while it is worked, so that
/// nothing else becomes suspect as well.
actor WorkGate {
    private var shared = 0
    private var isExclusive = false
    private var exclusiveWaiters: [Waiter] = []
    private var lastNumber = 0
    private var sharedWaiters: [CheckedContinuation<Void, Never>] = []

    /// A call that waits to run alone; it is resumed with whether it does.
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// Whether somebody waits to run alone until the rounds under way end.
    ///
    /// Then a round that is itself kept waiting, for example by a lock, gives back what it holds.
    var isAwaited: Bool { !isExclusive && !exclusiveWaiters.isEmpty }

    /// Whether rounds wait to begin.
    var keepsRoundsWaiting: Bool { !sharedWaiters.isEmpty }

    /// For tests: how many rounds are under way.
    var rounds: Int { shared }

    /// Whether a suspect is worked or waits to be: then rounds give their lanes back, so that these are not lost too.
    var isClosed: Bool { isExclusive || !exclusiveWaiters.isEmpty }

    /// Runs a round beside others; it may return a suspect, which is worked once nothing else is under way.
    ///
    /// Only the first of the rounds that wait to run alone may hold a suspect: if another waits already, this round's
    /// suspect is given back instead.
    /// - Parameters:
    ///   - round: Returns the suspect; `nil` when there is none.
    ///   - alone: Works it.
    ///   - giveBack: Gives it back.
    func withShared<Suspect: Sendable>(
        _ round: @concurrent @Sendable () async -> Suspect?,
        thenAlone alone: @concurrent @Sendable (Suspect) async -> Void,
        otherwise giveBack: @concurrent @Sendable (Suspect) async -> Void
    ) async {
        await enterShared()
        guard let suspect = await round() else { return leaveShared() }
        guard !isClosed else {
            await giveBack(suspect)
            return leaveShared()
        }
        // In one step with the look at the gate, so that nobody else comes first.
        shared -= 1
        _ = await enterExclusive(as: nextNumber())
        await alone(suspect)
        leaveExclusive()
    }

    /// Runs a body while no round is under way; `false` if the rounds did not end within the limit.
    ///
    /// No round begins while it waits, and so its wait is limited: a round that does not end would hold up all others.
    func withExclusive(within limit: Duration, _ body: @concurrent @Sendable () async -> Void) async -> Bool {
        let number = nextNumber()
        // A child of this scope: every return cancels it and waits for it. By then its number is not among those that
        // wait, so it changes nothing.
        async let _: Void = withdraw(number, after: limit)
        guard await enterExclusive(as: number) else { return false }
        await body()
        leaveExclusive()
        return true
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func enterShared() async {
        while isClosed {
            await withCheckedContinuation { sharedWaiters.append($0) }
        }
        shared += 1
    }

    private func leaveShared() {
        shared -= 1
        if shared == 0 { wake() }
    }

    /// Closes the gate, after a wait in the order of coming if need be; `false` if the wait was withdrawn.
    private func enterExclusive(as number: Int) async -> Bool {
        guard isClosed || shared > 0 else {
            isExclusive = true
            return true
        }
        return await withCheckedContinuation {
            exclusiveWaiters.append(Waiter(number: number, continuation: $0))
        }
    }

    /// Ends a wait that is not over by the limit, and opens the gate if nobody else waits.
    private func withdraw(_ number: Int, after limit: Duration) async {
        await EventLoopTimer.wait(for: limit)
        // The withdrawal is cancelled if the wait is over before.
        guard !Task.isCancelled, let place = exclusiveWaiters.firstIndex(where: { $0.number == number }) else { return }
        exclusiveWaiters.remove(at: place).continuation.resume(returning: false)
        if !isClosed { wakeShared() }
    }

    private func leaveExclusive() {
        isExclusive = false
        wake()
    }

    private func wake() {
        if !exclusiveWaiters.isEmpty {
            isExclusive = true
            exclusiveWaiters.removeFirst().continuation.resume(returning: true)
            return
        }
        wakeShared()
    }

    private func wakeShared() {
        let waiting = sharedWaiters
        sharedWaiters = []
        for waiter in waiting { waiter.resume() }
    }
}
