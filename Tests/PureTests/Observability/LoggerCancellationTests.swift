import Logging
import Observability
import TestSupport
import Testing

@Suite("A log until the task is cancelled")
struct LoggerCancellationTests {
    @Test func `takes nothing more from a cancelled task`() async {
        let recorder = LogRecorder()
        let logger = recorder.logger.untilCancelled
        logger.error("before")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            logger.error("CancellationError()")
        }
        await task.value
        #expect(recorder.lines == ["error before"])
    }
}
