/// Asks again until something is so; the caller's time limit ends it.
///
/// For what another process knows and announces to nobody (how many clients a server has, whether a queue is empty).
/// What announces itself is awaited instead.
package func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await pass(.milliseconds(10)) }
}

/// Asks again until something is so, or the time for it is over; says whether it came to be so.
package func eventually(within limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        try await pass(.milliseconds(100))
    }
    return true
}

/// Lets time pass: the only sleep of the tests.
///
/// For what is time itself and has no event to await: how long a fault lasts, the pace of a load, a client's pause
/// before it tries again, bytes that trickle.
package func pass(_ time: Duration) async throws {
    try await Task.sleep(for: time)
}
