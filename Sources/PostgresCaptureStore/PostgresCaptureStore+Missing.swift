package import CaptureModel
package import CaptureStore
import PostgresClient

extension PostgresCaptureStore {
    /// Those of some captures that have no result, in the order asked.
    ///
    /// It reads nothing of the results: the doctor asks about all that were settled in the last hour.
    package func withoutResult(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID] {
        guard !captures.isEmpty else { return [] }
        return try await asStoreError { () throws(PostgresError) in
            var settled: Set<CaptureID> = []
            let parameters: [PostgresValue] = [.uuidArray(captures.map(\.uuid))]
            for row in try await client.execute(Statements.settledAmong, parameters).rows {
                try settled.insert(CaptureID(row.uuid("id")))
            }
            return captures.filter { !settled.contains($0) }
        }
    }
}
