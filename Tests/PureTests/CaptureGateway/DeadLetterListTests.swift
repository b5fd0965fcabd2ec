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

    @Test func `dead letters are of the device that is asked for, and received from one moment until before another`()
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        var maker = SubmissionMaker(seed: 3)
        let (device, other) = (maker.device(), maker.device())
        var letters: [CaptureSubmission] = []
        for (owner, seconds) in [(device, 1), (device, 2), (device, 3), (other, 2)] as [(DeviceID, Int64)] {
            let letter = maker.submission(of: owner, receivedAt: Timestamp(millisecondsSince1970: seconds * 1000))
            try await fixture.queue.bury(letter)
            letters.append(letter)
        }
        let span = "from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:03Z"
        let expected: [(query: String, letters: [CaptureSubmission])] = [
            ("", letters), ("&\(span)", [letters[0], letters[1], letters[3]]),
            ("&device=\(device)", Array(letters.prefix(3))), ("&device=\(device)&\(span)", Array(letters.prefix(2))),
        ]
        try await fixture.run { gateway in
            for (query, letters) in expected {
                let path = "/api/v1/captures?status=failed\(query)"
                let page = try await gateway.get(path, token: GatewayFixture.readToken)
                let listed = page.data["captures"].elements.compactMap { $0["capture_id"]?.string }
                #expect(listed.count == letters.count, "\(query)")
                #expect(Set(listed) == Set(letters.map(\.id.description)), "\(query)")
            }
        }
    }
}
