import CaptureModel
import CaptureQueue
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Waiting for a dead letter` {
    private static func tell(_ state: CaptureState, of capture: CaptureID, at gateway: CapturesGateway) {
        gateway.backend.changes.tell(
            StateChange(capture: capture, device: gateway.backend.device, news: .state(state)))
    }

    /// A dead letter, whose changes the gateway hears.
    private static func buried(at gateway: CapturesGateway) async throws -> CaptureID {
        let id = try await gateway.accepted()
        try await gateway.bury(.internal)
        try await eventually { gateway.backend.changes.isHeard }
        return id
    }

    @Test func `a long poll of whoever knows it is held until it is redriven`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.bury(.internal)
            let failed = try await gateway.status(id)
            #expect(failed.data["status"] == .string("failed"))
            #expect(failed.headers.first(name: "Retry-After") == "60")
            let tag = try #require(failed.headers.first(name: "ETag"))
            let before = gateway.backend.queue.looks
            async let answer = gateway.status(
                id, "?wait=30", CapturesGateway.dashboard + [("If-None-Match", tag)])
            try await eventually { gateway.backend.queue.looks == before + 1 }
            #expect(try await gateway.backend.queue.redrive(id))
            Self.tell(.queued, of: id, at: gateway)
            #expect(try await answer.status == 200)
            #expect(try await answer.data["status"] == .string("queued"))
        }
    }

    @Test func `a stream stays open, tells that it is redriven, and ends with the result`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await Self.buried(at: gateway)
            var stream = try await CaptureStream(of: id, at: gateway)
            try await stream.read(until: #""status":"failed""#)
            #expect(try await gateway.backend.queue.redrive(id))
            Self.tell(.queued, of: id, at: gateway)
            try await stream.read(until: #""status":"queued""#)
            try await gateway.settle()
            Self.tell(.verified, of: id, at: gateway)
            try await stream.read(until: nil)
            #expect(stream.text.contains(#""status":"verified""#))
        }
    }

    @Test func `a stream ends when it is discarded, and a long poll finds nothing`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await Self.buried(at: gateway)
            var stream = try await CaptureStream(of: id, at: gateway)
            try await stream.read(until: #""status":"failed""#)
            let before = gateway.backend.queue.looks
            async let answer = gateway.status(id, "?wait=30")
            try await eventually { gateway.backend.queue.looks > before }
            #expect(try await gateway.backend.queue.discardLetter(of: id))
            gateway.backend.changes.tell(
                StateChange(capture: id, device: gateway.backend.device, news: .discarded))
            try await stream.read(until: nil)
            #expect(try await answer.code == "CAPTURE_NOT_FOUND")
        }
    }
}
