import Backoff
import CaptureStore

/// Asks the record for what may be asked for twice, and again when the answer was lost, until it says what became of it;
/// answers with 503 or 500 when it does not.
///
/// A conflict is tried once more. Whatever else keeps the record from doing it is told at once: nothing was done then.
/// - Parameter limit: How long the doubt may last.
func storedInDoubt<Value>(
    within limit: Duration, _ body: () async throws(StoreError) -> Value
) async throws(APIError) -> Value {
    let backoff = Backoff(base: .milliseconds(50), cap: .milliseconds(500))
    let end = ContinuousClock.now + limit
    var isInDoubt = false
    var attempt = 0
    while true {
        attempt += 1
        let fault: StoreError
        do throws(StoreError) {
            return try await body()
        } catch {
            fault = error
        }
        isInDoubt = isInDoubt || fault.code == .outcomeUnknown
        let isWorthwhile = isInDoubt ? fault.isTransient : fault.code == .conflict && attempt == 1
        guard isWorthwhile, await backoff.pause(attempt: attempt, before: end) else { throw .unavailable(fault) }
    }
}
