import CaptureStore
import PostgresClient

extension StoreError {
    /// The record's view of a fault of the client.
    init(_ error: PostgresError) {
        let code: StoreError.Code =
            switch error.code {
            case .outcomeUnknown, .timeout: .outcomeUnknown
            case .decoding: .malformedRow
            case .configuration: .refused
            case .poolExhausted: .busy
            case .connection, .closed, .cancelled: .unavailable
            default: Self.code(ofState: error.sqlState ?? "", isTransient: error.isTransient)
            }
        self.init(code, error.message, sqlState: error.sqlState ?? Self.clientState(error.code))
    }

    /// The client's own state where there can be no session (08001): that meets everybody, whatever was sent.
    private static func clientState(_ code: PostgresError.Code) -> String? {
        code == .configuration ? "08001" : nil
    }

    private static func code(ofState state: String, isTransient: Bool) -> StoreError.Code {
        if ["40001", "40P01", "55P03", "57014"].contains(state) { return .conflict }
        return isTransient ? .unavailable : .refused
    }
}

/// Runs a body and names its faults as the record's.
func recorded<Value>(
    _ body: () async throws(PostgresError) -> Value
) async throws(StoreError) -> Value {
    do throws(PostgresError) {
        return try await body()
    } catch {
        throw StoreError(error)
    }
}
