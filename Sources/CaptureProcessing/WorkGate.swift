/// Lets rounds of work run side by side, and a suspect alone.
///
/// A capture whose last worker did not come back may take this one down too. Nothing else is under way while it is
/// worked, so that nothing else falls under the same suspicion.
actor WorkGate {
    private var shared = 0
    private var isExclusive = false
    private var exclusiveWaiters: [CheckedContinuation<Void, Never>] = []
    private var sharedWaiters: [CheckedContinuation<Void, Never>] = []

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
        await enterExclusive()
        await alone(suspect)
        leaveExclusive()
    }

    /// Runs a suspect while no round is under way.
    func withExclusive(_ body: @concurrent @Sendable () async -> Void) async {
        await enterExclusive()
        await body()
        leaveExclusive()
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

    /// Whoever has to wait is handed the gate closed, in the order of coming.
    private func enterExclusive() async {
        if isClosed || shared > 0 {
            await withCheckedContinuation { exclusiveWaiters.append($0) }
        } else {
            isExclusive = true
        }
    }

    private func leaveExclusive() {
        isExclusive = false
        wake()
    }

    private func wake() {
        if !exclusiveWaiters.isEmpty {
            isExclusive = true
            exclusiveWaiters.removeFirst().resume()
            return
        }
        let waiting = sharedWaiters
        sharedWaiters = []
        for waiter in waiting { waiter.resume() }
    }
}
