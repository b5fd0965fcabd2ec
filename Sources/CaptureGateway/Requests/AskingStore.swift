import CaptureStore

/// Asks the record, and answers with 503 or 500 when it does not do what was asked.
func askingStore<Value>(_ body: () async throws(StoreError) -> Value) async throws(APIError) -> Value {
    do { return try await body() } catch { throw .unavailable(error) }
}
