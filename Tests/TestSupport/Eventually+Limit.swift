import PrivateServers

/// Checks a condition again and again until it holds or the time is over; returns whether it held.
package func eventually(within limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        try await letTimePass(.milliseconds(100))
    }
    return true
}
