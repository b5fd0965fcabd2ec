import DeviceSimulator
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `One client's share of the uploads` {
    private static let age: Duration = .seconds(60)

    /// As many uploads of ten bytes as a client gets.
    private func fill(_ budget: BodyBudget, as client: String) -> [BodyReservation] {
        var held: [BodyReservation] = []
        while let one = budget.reserve(10, for: client) { held.append(one) }
        return held
    }

    @Test func `one client's share of the uploads is three times what it leaves free, and a whole upload in any case`()
        throws
    {
        let budget = BodyBudget(bytesMax: 400, bodyBytesMax: 30)
        let first = fill(budget, as: "a")
        #expect(first.count == 30)
        let second = fill(budget, as: "b")
        #expect(second.count == 7)
        // They wanted more than their shares: that is for nobody else to make up for.
        #expect(budget.wasShort(for: "a", within: Self.age) && budget.wasShort(for: "b", within: Self.age))
        #expect(!budget.wasShort(for: "c", within: Self.age))
        // What is left is a whole upload.
        let third = try #require(budget.reserve(30, for: "c"))
        #expect(budget.reserve(1, for: "c") == nil && !budget.wasShort(for: "d", within: Self.age))
        #expect(budget.reserve(1, for: "d") == nil && budget.wasShort(for: "e", within: Self.age))
        withExtendedLifetime((first, second, third)) {}
    }

    @Test func `one client's share of the uploads is free for others when it is given back, and not for that client`() {
        let budget = BodyBudget(bytesMax: 400, bodyBytesMax: 30)
        var first = fill(budget, as: "a")
        let second = fill(budget, as: "b")
        first.removeLast(10)
        // Whoever comes back finds that there are others now.
        let again = fill(budget, as: "a")
        #expect(first.count + again.count < 30)
        let third = fill(budget, as: "c")
        #expect(third.count > 3)
        withExtendedLifetime((second, third, again)) { first = [] }
    }

    @Test func `one client's share of the uploads leaves room for other addresses, however fast one comes back`()
        async throws
    {
        try await CapturesGateway.run {
            $0.takeOneUploadAtATime()
            $0.uploads.bytesInFlightMax = 2_400_000
            $0.connections.trustedProxies = ["127.0.0.0/8"]
        } _: { gateway in
            let head = Array(gateway.uploadHead("X-Forwarded-For: 192.0.2.66", "Content-Length: 300000").utf8)
            let (refusals, refused) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { flood in
                for _ in 0..<16 {
                    flood.addTask {
                        while true {
                            // Waits for the body, which never comes, unless it is refused.
                            _ = try await gateway.raw(head)
                            refused.yield()
                            try await letTimePass(.milliseconds(20))
                        }
                    }
                }
                for await _ in refusals { break }
                for seed in 1...3 {
                    let answer = try await gateway.upload(
                        gateway.capture(seed: UInt64(seed)).parts, headers: [("X-Forwarded-For", "198.51.100.7")])
                    #expect(answer.status == 202)
                }
                flood.cancelAll()
            }
            try await gateway.meetEverybodyBefore()
        }
    }

    @Test
    func `one client's share of the uploads is not kept by an upload that trickles without saying how large it is`()
        async throws
    {
        try await CapturesGateway.run {
            $0.takeOneUploadAtATime()
            $0.uploads.idleTimeout = .seconds(2)
            $0.uploads.timeout = .seconds(3600)
        } _: { gateway in
            let capture = try gateway.capture()
            gateway.backend.queue.fail(enqueue: .held)
            async let held = gateway.upload(capture)
            await gateway.backend.queue.untilHeld()
            let connection = try RawConnection(port: gateway.port)
            let start = "--\(FormPart.boundary)\r\n"
            let size = String(start.utf8.count, radix: 16)
            try await connection.send(gateway.uploadHead("Transfer-Encoding: chunked") + "\(size)\r\n\(start)\r\n")
            let answer = Task { try await connection.read { $0.hasSuffix("}") } }
            let trickle = Task {
                while true {
                    try await connection.send("1\r\n \r\n")
                    try await letTimePass(.milliseconds(100))
                }
            }
            let wanting = Task {
                while true {
                    let refusal = try await gateway.raw(Array(gateway.uploadHead("Content-Length: 300000").utf8))
                    #expect(refusal.hasPrefix("HTTP/1.1 503"))
                    try await letTimePass(.milliseconds(200))
                }
            }
            // It would have gone on for an hour.
            #expect(try await answer.value.hasPrefix("HTTP/1.1 408"))
            trickle.cancel()
            wanting.cancel()
            _ = await (trickle.result, wanting.result)
            try await gateway.meetEverybodyBefore()
            gateway.backend.queue.release()
            #expect(try await held.status == 202)
        }
    }
}

extension CapturesGateway {
    /// Returns when the gateway has taken over every connection that was made until now.
    ///
    /// SwiftNIO ends the process where a server is cancelled with one that nobody has taken over.
    fileprivate func meetEverybodyBefore() async throws {
        _ = try await send(.GET, "/healthz", headers: [])
    }
}
