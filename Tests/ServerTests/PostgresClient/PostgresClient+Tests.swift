import PostgresClient
import TestSupport

extension PostgresClient {
    /// Asks until the server answers.
    func recover(fileID: String = #fileID, line: Int = #line) async throws {
        try await eventually(fileID: fileID, line: line) {
            do throws(PostgresError) {
                try await ping()
                return true
            } catch {
                guard error.isTransient else { throw error }
                return false
            }
        }
    }
}
