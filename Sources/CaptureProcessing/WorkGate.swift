/// Lets batches run side by side, and a suspect alone.
///
/// A capture whose last worker did not come back may take this one down too. Nothing else is under way while it is
/// worked, so that nothing else falls under the same suspicion.
actor WorkGate {
    private var shared = 0
    private var isExclusive = false
    private var exclusiveWaiters: [CheckedContinuation<Void, Never>] = []
    private var sharedWaiters: [CheckedContinuation<Void, Never>] = []

    /// Whether a suspect is being worked or waits to be: who holds lanes gives them back, so that they are not lost too.
    var isClosed: Bool { isExclusive || !exclusiveWaiters.isEmpty }

    /// Waits until no suspect is worked.
    func untilOpen() async {
        while isClosed {
            await withCheckedContinuation { sharedWaiters.append($0) }
        }
    }

    /// Runs a batch beside others.
    func withShared<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        await enterShared()
        let result = await body()
        leaveShared()
        return result
    }

    /// Runs a suspect while no batch is under way.
    func withExclusive<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        await enterExclusive()
        let result = await body()
        leaveExclusive()
        return result
    }

    private func enterShared() async {
        await untilOpen()
        shared += 1
    }

    private func leaveShared() {
        shared -= 1
        if shared == 0 { wake() }
    }

    private func enterExclusive() async {
        while isExclusive || shared > 0 {
            await withCheckedContinuation { exclusiveWaiters.append($0) }
        }
        isExclusive = true
    }

    private func leaveExclusive() {
        isExclusive = false
        wake()
    }

    private func wake() {
        if !exclusiveWaiters.isEmpty {
            exclusiveWaiters.removeFirst().resume()
            return
        }
        let waiting = sharedWaiters
        sharedWaiters = []
        for waiter in waiting { waiter.resume() }
    }
}
