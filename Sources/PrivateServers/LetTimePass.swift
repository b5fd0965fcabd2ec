/// Lets time pass: tests, and the servers here, sleep nowhere else.
///
/// For cases in which time itself matters and there is no event to await: the length of a fault, the pace of a load, a
/// client's pause before a retry, bytes that trickle.
package func letTimePass(_ time: Duration) async throws {
    try await Task.sleep(for: time)
}
