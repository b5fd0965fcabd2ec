package import CaptureQueue
package import CaptureStore

/// The fault of the queue or the record in an operation that needs both.
package enum ServerFault: Error, CustomStringConvertible {
    /// The queue failed.
    case queue(QueueError)
    /// The record failed to do it, or to note it.
    case store(StoreError)

    /// The fault behind it.
    package var description: String {
        switch self {
        case .queue(let error): "\(error)"
        case .store(let error): "\(error)"
        }
    }

    /// Whether the operation may have been done all the same.
    package var isOfUnknownOutcome: Bool {
        switch self {
        case .queue(let error): error.code == .outcomeUnknown
        case .store(let error): error.code == .outcomeUnknown
        }
    }

    /// Asks the queue.
    package static func askingQueue<Value>(
        _ body: () async throws(QueueError) -> Value
    ) async throws(ServerFault) -> Value {
        do { return try await body() } catch { throw .queue(error) }
    }

    /// Asks the record.
    package static func askingStore<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(ServerFault) -> Value {
        do { return try await body() } catch { throw .store(error) }
    }
}
