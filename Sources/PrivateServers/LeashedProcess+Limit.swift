extension LeashedProcess {
    /// How long a server may take until it is ready; it may have much to read before.
    static let serverStartLimit = Duration.seconds(120)

    /// Returns the first line that contains a text, as soon as it is there.
    ///
    /// A child that has not printed it in time is killed, so that no test waits for ever.
    /// - Throws: ``Failure`` with the child's last lines when it ends, or is killed, without the line.
    @discardableResult
    package func line(containing text: String, within limit: Duration) async throws -> String {
        let began = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                try await letTimePass(limit)
                try await kill()
            }
            defer { group.cancelAll() }
            do {
                return try await line(containing: text)
            } catch {
                guard began.duration(to: .now) >= limit else { throw error }
                throw Failure(description: "killed after \(limit): \(error)")
            }
        }
    }
}
