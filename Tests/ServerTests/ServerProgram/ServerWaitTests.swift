import CaptureQueue
import Logging
import NIOCore
import RedisCaptureQueue
import RedisClient
import ServerProgram
import TestSupport
import Testing

@Suite("A program that waits for a server in its start", .timeLimit(.minutes(1)))
struct ServerWaitTests {
    /// As TLS at a port without it, or none at a port with it: both sides wait for the other.
    @Test(arguments: ["redis", "rediss"])
    func `a start that waits says where and for what, however late that shows`(scheme: String) async throws {
        try await FakeRedis.with(logIn: nil) { _ in
            ByteBuffer()
        } _: { server in
            let address = String(server.url.dropFirst("redis://".count))
            try await RedisFixture.withClient("\(scheme)://\(address)") {
                $0.reconnectGrace = .milliseconds(10)
                $0.connectTimeout = .milliseconds(300)
            } _: { redis in
                let log = LogRecorder()
                let start = Task {
                    try await ServerWait.untilDone(with: "Redis", logger: log.logger) {
                        _ = try await FunctionLibrary.current.presence(on: redis)
                    }
                }
                let fault = "\(address) did not answer the log-in in time" + (scheme == "rediss" ? ", over TLS" : "")
                try await eventually { log.values(of: "fault").contains { $0.hasSuffix(fault) } }
                let faults = log.values(of: "fault")
                #expect(faults.allSatisfy { $0.contains(address) } && Set(faults).count == faults.count)
                start.cancel()
                _ = await start.result
            }
        }
    }
}
