import PostgresClient

extension PostgresClient {
    /// Asks until the server answers.
    func recover() async throws {
        while true {
            do {
                return try await ping()
            } catch  where error.isTransient {
                await Task.yield()
            }
        }
    }
}
