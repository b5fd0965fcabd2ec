// Tells ThreadSanitizer what `withCheckedContinuation` orders when the answer is there before anybody waits for it.
//
// Resuming a continuation releases its task (`swift_continuation_resume`), but awaiting one that was resumed already goes
// on at once and acquires nothing that ThreadSanitizer could see: the runtime (Swift 6.3) lacks the call there. Whatever
// was handed over that way looked like a race. These two take the place of the library's at link time; they do what it
// does, and then acquire the task. Compiled without instrumentation, as the library is.

@_silgen_name("$ss23withCheckedContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5NeverOGXEtYalF")
public func checkedContinuation<Value>(
    isolation: isolated (any Actor)?, function: String, _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> sending Value {
    let value = await withUnsafeContinuation(isolation: isolation) {
        body(CheckedContinuation(continuation: $0, function: function))
    }
    acquireTask()
    return value
}

@_silgen_name("$ss31withCheckedThrowingContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5Error_pGXEtYaKlF")
public func checkedThrowingContinuation<Value>(
    isolation: isolated (any Actor)?, function: String, _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> sending Value {
    let result: Result<Value, any Error>
    do {
        result = .success(
            try await withUnsafeThrowingContinuation(isolation: isolation) {
                body(CheckedContinuation(continuation: $0, function: function))
            })
    } catch {
        result = .failure(error)
    }
    acquireTask()
    return try result.get()
}

/// In runtime.c.
@_silgen_name("capture_acquire_task")
private func acquireTask()
