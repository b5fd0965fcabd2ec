import CaptureQueue
import RedisClient
import Testing

@testable import RedisCaptureQueue

@Suite("Faults of the Redis client as the queue tells them")
struct ClientFaultTests {
    /// Otherwise an overloaded gateway would call Redis down, and its load would go to the next one.
    @Test(arguments: [RedisError.Code.busy, .backlogFull])
    func `a command that finds no room among those that wait says nothing about Redis`(code: RedisError.Code) {
        let fault = QueueError(RedisError(code, "no room"))
        #expect(fault.code == .busy && fault.isTransient && !fault.isRefusal)
    }

    @Test(arguments: [RedisError.Code.connection, .closed])
    func `a command without a connection says that Redis is away`(code: RedisError.Code) {
        #expect(QueueError(RedisError(code, "no connection")).code == .unavailable)
    }
}
