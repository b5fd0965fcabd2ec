import CaptureModel
import CaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The list of dead letters over HTTP` {
    @Test func `dead letters are listed as they were given up, and not as they were received`() async throws {
        let fixture = try GatewayFixture().withOperators()
        var maker = SubmissionMaker(seed: 1)
        let received = [maker.submission(of: maker.device()), maker.submission(of: maker.device())]
        for capture in received { #expect(try await fixture.queue.enqueue(capture) == .accepted) }
        let leases = try await fixture.queue.claim(lanesMax: 2, capturesPerLaneMax: 1, wait: .zero)
        for capture in received.reversed() {
            let lease = try #require(leases.first { $0.device == capture.device })
            let item = LaneSettlement.Item(id: capture.id, disposition: .dead(.attemptsExhausted, fault: "gone"))
            _ = try await fixture.queue.settle([
                LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
            ])
        }
        try await fixture.run { gateway in
            let page = try await gateway.get("/api/v1/captures?status=failed", token: GatewayFixture.readToken)
            let listed = page.data["captures"].elements.compactMap { $0["capture_id"]?.string }
            #expect(listed == received.reversed().map(\.id.description))
        }
    }

    @Test(arguments: [(1, false), (2, true), (3, true)])
    func `a page that has all dead letters, or all that pass, names no next one`(limit: Int, isLast: Bool)
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        let buried = try await fixture.queue.bury(["refused", "odd"], seed: 1)
        var maker = SubmissionMaker(seed: 2)
        try await fixture.queue.bury(maker.submission(of: maker.device()), .bundleMissing)
        try await fixture.run { gateway in
            for query in ["status=failed&reason=ATTEMPTS_EXHAUSTED", "reason=ATTEMPTS_EXHAUSTED"] {
                let path = "/api/v1/captures?\(query)&limit=\(limit)"
                let page = try await gateway.get(path, token: GatewayFixture.readToken)
                let listed = page.data["captures"].elements.compactMap { $0["capture_id"]?.string }
                #expect(listed == buried.prefix(limit).map(\.description), "\(query)")
                #expect((page.data["next"].string == nil) == isLast, "\(query)")
            }
            let all = try await gateway.get(
                "/api/v1/captures?status=failed&limit=3", token: GatewayFixture.readToken)
            #expect(all.data["captures"].elements.count == 3 && all.data["next"].string == nil)
        }
    }
}
