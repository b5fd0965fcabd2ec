import Logging
import Observability
import TestSupport
import Testing

@Suite("A log until the task is cancelled")
struct LoggerCancellationTests {
    @Test func `a log takes nothing more from a cancelled task`() async {
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

    @Test func `a log leaves out that a server is closed that is to be closed, and nothing else`() {
        let recorder = LogRecorder()
        var logger = recorder.logger.withoutEndOfServer
        logger[metadataKey: "request_id"] = "1"
        logger.error("Server shutdown error: Already closed")
        logger.error("Waiting on child channel: CancellationError()")
        logger.error("Waiting on child channel: Connection reset")
        #expect(recorder.lines == ["error Waiting on child channel: Connection reset"])
        #expect(recorder.values(of: "request_id") == ["1"])
    }
}
