/// Checks a condition again and again until it holds; the caller's time limit ends it.
///
/// For states of another process that cause no event (how many clients a server has, whether a queue is empty). Events
/// are awaited instead.
package func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await pass(.milliseconds(10)) }
}

/// Lets time pass: tests, and the servers here, sleep nowhere else.
///
/// For cases in which time itself matters and there is no event to await: the length of a fault, the pace of a load, a
/// client's pause before a retry, bytes that trickle.
package func pass(_ time: Duration) async throws {
    try await Task.sleep(for: time)
}
