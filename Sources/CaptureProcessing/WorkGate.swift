/// Lets rounds of work run side by side, and a suspect alone.
///
/// A capture whose last worker did not come back may take this one down too. Nothing else is under way while it is
/// worked, so that nothing else falls under the same suspicion.
actor WorkGate {
    private var shared = 0
    private var isExclusive = false
    private var exclusiveWaiters: [Waiter] = []
    private var lastNumber = 0
    private var sharedWaiters: [CheckedContinuation<Void, Never>] = []

    /// Somebody who waits to be alone; told whether they are.
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// Whether rounds under way keep somebody waiting who is to be alone: one that is itself kept waiting, as by a lock,
    /// gives back what it holds.
    var isAwaited: Bool { !isExclusive && !exclusiveWaiters.isEmpty }

    /// Whether rounds wait to begin.
    var keepsRoundsWaiting: Bool { !sharedWaiters.isEmpty }

    /// How many rounds are under way.
    var rounds: Int { shared }

    /// Whether a suspect is being worked or waits to be: who holds lanes gives them back, so
    /// that they are not lost too.
    var isClosed: Bool { isExclusive || !exclusiveWaiters.isEmpty }

    /// Runs a round beside others, which may leave a suspect to be worked once nothing else is under way.
    ///
    /// Of those who wait to be alone only the first may hold anything: where another waits already, what the round has
    /// left is given up instead.
    /// - Parameters:
    ///   - round: Returns the suspect; `nil` when there is none.
    ///   - alone: Works it.
    ///   - giveUp: Gets rid of it.
    func withShared<Suspect: Sendable>(
        _ round: @concurrent @Sendable () async -> Suspect?,
        thenAlone alone: @concurrent @Sendable (Suspect) async -> Void,
        otherwise giveUp: @concurrent @Sendable (Suspect) async -> Void
    ) async {
        await enterShared()
        guard let suspect = await round() else { return leaveShared() }
        guard !isClosed else {
            await giveUp(suspect)
            return leaveShared()
        }
        // In one step with the look at the gate, so that nobody else comes first.
        shared -= 1
        _ = await enterExclusive(as: nextNumber())
        await alone(suspect)
        leaveExclusive()
    }

    /// Runs a suspect while no round is under way; tells whether there came to be none within a time.
    ///
    /// No round begins meanwhile: whoever waits for one that does not end would hold up all the others.
    func withExclusive(within limit: Duration, _ body: @concurrent @Sendable () async -> Void) async -> Bool {
        let number = nextNumber()
        // Cancelled and awaited on the way out.
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

    /// Whoever has to wait is handed the gate closed, in the order of coming, or is told that it was withdrawn.
    private func enterExclusive(as number: Int) async -> Bool {
        guard isClosed || shared > 0 else {
            isExclusive = true
            return true
        }
        return await withCheckedContinuation {
            exclusiveWaiters.append(Waiter(number: number, continuation: $0))
        }
    }

    /// Has whoever waits still wait no longer, and opens the gate where nobody else does.
    private func withdraw(_ number: Int, after limit: Duration) async {
        // Cancelled where the wait is over before.
        guard (try? await Task.sleep(for: limit)) != nil,
            let place = exclusiveWaiters.firstIndex(where: { $0.number == number })
        else { return }
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
