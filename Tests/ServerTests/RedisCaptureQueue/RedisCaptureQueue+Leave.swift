import CaptureQueue

@testable import RedisCaptureQueue

extension RedisCaptureQueue {
    /// Hands back all lanes of this consumer as a worker does that stops, over a connection of its own.
    @discardableResult
    func leave() async throws(QueueError) -> Int {
        try await leave(over: functions.client, having: nil, within: .seconds(5))
    }
}
