import CaptureOperations
import CaptureQueue

extension IntakeWalk {
    /// Asks one partition; `nil` if it refuses, which is noted.
    ///
    /// Nothing but a refusal is of one partition alone: any other fault ends the walk.
    @discardableResult
    func asking<Value>(
        _ partition: Int, _ progress: inout Progress, _ body: () async throws(QueueError) -> Value
    ) async throws(ServerFault) -> Value? {
        do throws(QueueError) {
            return try await body()
        } catch {
            guard error.code == .refused else { throw .queue(error) }
            progress.refused[partition] = error
            return nil
        }
    }
}
