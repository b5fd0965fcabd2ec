import CaptureModel
import CaptureQueue
import CaptureStore
import Logging
import NIOCore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The photo of an open capture` {
    private static let photo = "the photo, and where it was taken"

    /// Logs in at a gateway that has a capture whose bytes are kept.
    private static func run(
        as token: String, logger: Logger = .quiet,
        _ body: @Sendable @escaping (DashboardLogin, _ page: String) async throws -> Void
    ) async throws {
        var fixture = try GatewayFixture().withOperators()
        fixture.dependencies.logger = logger
        let ledger = MemoryIntakeLedger(time: fixture.time.source)
        fixture.dependencies.intake = ledger
        var maker = SubmissionMaker(seed: 1)
        let media = CaptureMedia(photo: ByteBuffer(string: photo), depth: ByteBuffer(bytes: [0, 0]))
        let submission = maker.submission(of: maker.device(), receivedAt: fixture.time.now, media: media)
        _ = try await ledger.record([submission])
        try await fixture.bundles.put(media, of: submission)
        #expect(try await fixture.queue.enqueue(submission) == .accepted)
        let page = "/dashboard/captures/\(submission.id)"
        try await fixture.run { gateway in try await body(DashboardLogin(gateway, token: token), page) }
    }

    @Test func `the photo of an open capture is for operators, and the log names who saw it`() async throws {
        let log = LogRecorder()
        try await Self.run(as: GatewayFixture.operatorToken, logger: log.logger) { login, page in
            #expect(try await login.get(page).text.contains("\(page)/photo"))
            let answer = try await login.get("\(page)/photo")
            #expect(answer.status == 200 && answer.text == Self.photo)
            #expect(log.lines.count { $0 == "info a photo was shown" } == 1)
            #expect(log.values(of: "capture_id").contains { page.hasSuffix($0) })
            let actors = log.values(of: "actor")
            #expect(actors.count == 1 && actors.first?.hasPrefix("alice (dashboard, token ") == true, "\(actors)")
        }
    }

    @Test func `the photo of an open capture is not for a read-only token, and the page says why`() async throws {
        try await Self.run(as: GatewayFixture.readToken) { login, page in
            let answer = try await login.get("\(page)/photo")
            #expect(answer.status == 403 && answer.text.contains("Only operators may see this"))
            #expect(!answer.text.contains(Self.photo))
            let shown = try await login.get(page)
            #expect(shown.status == 200 && !shown.text.contains("\(page)/photo"))
            #expect(shown.text.contains("it may tell where it was taken") && shown.text.contains("\(page)/depth"))
        }
    }
}
