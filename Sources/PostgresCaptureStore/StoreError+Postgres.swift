import CaptureStore
import PostgresClient

extension StoreError {
    /// Makes the record's error from the client's.
    init(_ error: PostgresError) {
        let code: StoreError.Code =
            switch error.code {
            case .outcomeUnknown, .timeout: .outcomeUnknown
            case .decoding: .malformedRow
            case .configuration: .refused
            case .poolExhausted: .busy
            case .connection, .closed, .cancelled: .unavailable
            case .server(let state): Self.code(ofState: state, isTransient: error.isTransient)
            }
        // A configuration fault of the client prevents any session, so it counts as 08001, which affects every call.
        let state = error.sqlState ?? (error.code == .configuration ? SQLState.noConnection : nil)
        self.init(
            code, error.message, scope: error.isOfServerLimit ? .limit : state.map(Self.scope(ofState:)),
            isRefusal: state.map(Self.isRefusal(ofState:)) ?? false, isOfSchema: error.isOfSchema, serverCode: state)
    }

    /// The calls that a fault affects, by its SQLSTATE.
    ///
    /// A fault of the arguments has class 21 or 22 (data), 23 (constraints), 54 (limits of a row; those of the server
    /// are told apart before) or P0 (raised by a function).
    private static func scope(ofState state: String) -> Scope {
        switch state.prefix(2) {
        case "21", "22", "23", "54", "P0": .content
        case "XX": .damage
        case "25" where state == SQLState.readOnlyTransaction: .writers
        default: .everybody
        }
    }

    /// Whether a SQLSTATE is a refusal of the call itself.
    ///
    /// Classes 08 (connection) and 57P (shutdown, starting) and 53300 (too many connections) are none: they affect
    /// every call. Nor are 25P (a session that was ended for our own silence), and a ``StoreError/Code/conflict`` with
    /// others.
    private static func isRefusal(ofState state: String) -> Bool {
        !["08", "25P", "57P"].contains(where: state.hasPrefix) && state != SQLState.tooManyConnections
            && !SQLState.conflicts.contains(state)
    }

    private static func code(ofState state: String, isTransient: Bool) -> StoreError.Code {
        if SQLState.conflicts.contains(state) { return .conflict }
        return isTransient ? .unavailable : .refused
    }
}

/// Runs a body and throws its fault as a ``StoreError``.
func asStoreError<Value>(
    _ body: () async throws(PostgresError) -> Value
) async throws(StoreError) -> Value {
    do throws(PostgresError) {
        return try await body()
    } catch {
        throw StoreError(error)
    }
}
