/// Does something again and again, each time behind a pause, until the task is cancelled.
/// - Throws: What the body throws, which ends it.
package func again<Fault: Error>(
    after pause: Duration, _ body: () async throws(Fault) -> Void
) async throws(Fault) {
    while true {
        do { try await Task.sleep(for: pause) } catch { return }
        try await body()
    }
}
