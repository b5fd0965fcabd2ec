import CaptureModel
import CaptureQueue
import NIOCore
import RedisCaptureQueue
import TestSupport
import Testing

extension QueueFixture {
    /// Runs a body with a queue on a server of its own, whose gateways have a ledger.
    static func withGatewaysOfLedger(
        partitions: Int = 1, _ body: (QueueFixture) async throws -> Void
    ) async throws {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.hasLedger = true
        try await withOwnServer(partitions: partitions, configuration: configuration, body)
    }

    /// Stores a submission's bytes only.
    func store(_ submission: CaptureSubmission) async throws {
        let media = CaptureMedia(
            photo: ByteBuffer(repeating: 1, count: submission.photoBytes),
            depth: ByteBuffer(repeating: 2, count: submission.depthBytes)
        )
        try await bundles.put(media, of: submission)
    }
}

extension RestorationMark {
    /// A mark that tests tell from others by its number, of one digit.
    static func numbered(_ number: Int) -> RestorationMark {
        RestorationMark(text: "00000000-0000-4000-8000-00000000000\(number)")
    }
}

extension RedisCaptureQueue {
    /// Restores a queue to which nothing has to come back, under a mark of this number.
    func markRestored(
        _ number: Int, of partition: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let begun = try await beginRestoration(of: partition, mark: .numbered(number))
        #expect(begun == .restoring(.numbered(number)), sourceLocation: sourceLocation)
        let finished = try await finishRestoration(of: partition, mark: .numbered(number))
        #expect(finished == .restored(.numbered(number)), sourceLocation: sourceLocation)
    }
}
