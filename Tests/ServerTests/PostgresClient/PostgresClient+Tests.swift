import PostgresClient
import TestSupport

extension PostgresClient {
    /// Runs a script on a session.
    func executeScript(_ script: String) async throws(PostgresError) {
        try await withConnection { connection throws(PostgresError) in try await connection.executeScript(script) }
    }

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

    /// Waits until its connections are in use as a test wants it, where only faults of PostgreSQL may be thrown.
    func untilPool(
        fileID: String = #fileID, line: Int = #line, _ isReady: (PostgresPoolStatus) -> Bool
    ) async throws(PostgresError) {
        do {
            try await eventually(fileID: fileID, line: line) { isReady(status) }
        } catch {
            throw PostgresError(.cancelled, "")
        }
    }
}
