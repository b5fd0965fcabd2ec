import CaptureModel
import CaptureStore
import GatewayClient
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Readiness of a gateway` {
    /// A record that refuses every question.
    private struct RefusingStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let fault: StoreError

        func ping() async throws(StoreError) { throw fault }
    }

    /// What `/readyz` says over such a record, and what is logged.
    private func answer(over fault: StoreError) async throws -> (status: Int, postgres: String?, lines: [String]) {
        var fixture = try GatewayFixture()
        let log = LogRecorder()
        fixture.dependencies.store = RefusingStore(memory: fixture.store, fault: fault)
        fixture.dependencies.outages = Outages(logger: log.logger)
        let (answers, continuation) = AsyncStream.makeStream(of: (Int, String?).self)
        try await fixture.run { gateway in
            let answer = try await gateway.get("/readyz")
            continuation.yield((answer.status, answer.data["dependencies"]["postgres"].string))
        }
        let first = await answers.first { _ in true }
        let found = try #require(first)
        return (found.0, found.1, log.lines)
    }

    @Test func `is not lost where all connections to the record are at work`() async throws {
        let answer = try await answer(over: StoreError(.busy, "no connection became free in time"))
        #expect(answer.status == 200 && answer.postgres == "up" && answer.lines == [])
    }

    @Test func `is lost where the record does not answer`() async throws {
        let answer = try await answer(over: StoreError(.unavailable, "no connection"))
        #expect(answer.status == 503 && answer.postgres == "down")
        #expect(answer.lines == ["error postgres is away; waiting for it"])
    }
}
