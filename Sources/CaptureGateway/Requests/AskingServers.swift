import CaptureQueue
import CaptureStore

/// Asks the queue, or the store of bytes, and answers with 503 or 500 when it does not do what was asked.
func askingQueue<Value>(_ body: () async throws(QueueError) -> Value) async throws(APIError) -> Value {
    do { return try await body() } catch { throw .unavailable(error) }
}

/// Asks the queue as ``askingQueue(_:)`` does, for an operator, who is told which key is damaged.
func askingOperatedQueue<Value>(_ body: () async throws(QueueError) -> Value) async throws(APIError) -> Value {
    do { return try await body() } catch { throw .unavailable(toOperator: error) }
}

/// Asks the record, and answers with 503 or 500 when it does not do what was asked.
func askingStore<Value>(_ body: () async throws(StoreError) -> Value) async throws(APIError) -> Value {
    do { return try await body() } catch { throw .unavailable(error) }
}
