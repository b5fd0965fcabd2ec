import CaptureStore
import Waiting

/// Makes an idempotent call to the record, and repeats it when the answer was lost, until the outcome is known.
///
/// Answers with 503 or 500 when the record does not do what was asked.
///
/// A conflict is tried once more. Any other failure is thrown at once: nothing was done then.
/// - Parameters:
///   - limit: How long the doubt may last.
///   - chance: Random numbers from 0 to 1, which spread the repetitions.
func storedInDoubt<Value>(
    within limit: Duration, chance: () -> Double, _ body: () async throws(StoreError) -> Value
) async throws(APIError) -> Value {
    let backoff = Backoff(base: .milliseconds(50), cap: .milliseconds(500))
    let deadline = ContinuousClock.now + limit
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
        guard isWorthwhile, await backoff.pause(attempt: attempt, chance: chance(), before: deadline) else {
            throw .unavailable(fault)
        }
    }
}
