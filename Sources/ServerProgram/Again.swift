/// Does something again and again, each time behind a pause, until the task is cancelled.
func again(after pause: Duration, _ body: () async -> Void) async {
    while true {
        do { try await Task.sleep(for: pause) } catch { return }
        await body()
    }
}
