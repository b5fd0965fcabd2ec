import CaptureQueue
import DeviceSimulator
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("The limits of an upload's parts", .timeLimit(.minutes(1)))
struct UploadLimitsTests {
    /// What a part may have here, and what fills it up without changing what it says.
    private static func limit(_ part: BundlePart) -> (bytes: Int, filler: UInt8) {
        switch part {
        case .photo: (70_000, 0x00)
        case .depthMap: (200_000, 0x00)
        case .assertion: (8_192, 0x0A)
        case .metadata: (16_384, 0x20)
        }
    }

    /// A capture's parts, with as much in some of them as they may have.
    private static func parts(_ capture: SignedCapture, filling full: [BundlePart]) throws -> [FormPart] {
        var parts = capture.parts
        for part in full {
            let place = try #require(parts.firstIndex { $0.name == part.rawValue })
            // As text: line ends behind it are passed over.
            if part == .assertion { parts[place].bytes = Array(parts[place].bytes.base64.utf8) }
            let (bytes, filler) = limit(part)
            let room = bytes - parts[place].bytes.count
            try #require(room > 0)
            parts[place].bytes += Array(repeating: filler, count: room)
        }
        return parts
    }

    @Test(arguments: BundlePart.allCases)
    func `the limits of parts are the last bytes that are taken: with one more it is 413, and says which part`(
        part: BundlePart
    ) async throws {
        try await CapturesGateway.run {
            $0.uploads.photoBytesMax = 70_000
            $0.uploads.depthBytesMax = 200_000
        } _: { gateway in
            var parts = try Self.parts(gateway.capture(), filling: [part])
            let largest = try await gateway.upload(parts)
            #expect(largest.status == 202, "\(largest.json)")
            let place = try #require(parts.firstIndex { $0.name == part.rawValue })
            parts[place].bytes.append(Self.limit(part).filler)
            let larger = try await gateway.upload(parts)
            #expect(larger.status == 413 && larger.code == "PAYLOAD_TOO_LARGE" && larger.field == part.rawValue)
        }
    }

    /// Another gateway was started later, with a lower limit: an app sends a capture again after 500, not after 413.
    @Test(arguments: CaptureMedia.Part.allCases, [false, true])
    func `what this gateway takes and the queue does not is 413, says which part, and leaves nothing behind`(
        refused: CaptureMedia.Part, hasLedger: Bool
    ) async throws {
        let field = refused == .photo ? "photo" : "depth_map"
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            gateway.backend.queue.fail(enqueue: .tooLarge(refused, bytesMax: 30_000))
            let answer = try await gateway.upload(gateway.capture())
            #expect(answer.status == 413 && answer.code == "PAYLOAD_TOO_LARGE", "\(answer.json)")
            #expect(answer.field == field && answer.message == "\(field) must have at most 30000 bytes")
            #expect(gateway.backend.bundles.count == 0)
            let rows = try await gateway.backend.ledger?.openIntake(after: 0, olderThan: .zero, limit: 9)
            #expect(rows?.isEmpty ?? !hasLedger)
        }
    }

    @Test
    func `the limits of an upload's parts may be reached by all at once, with memory for no more than one upload`()
        async throws
    {
        try await CapturesGateway.run {
            $0.uploads.photoBytesMax = 70_000
            $0.uploads.depthBytesMax = 200_000
            $0.uploads.bytesInFlightMax = $0.uploads.bytesMax
        } _: { gateway in
            let parts = try Self.parts(gateway.capture(), filling: BundlePart.allCases)
            let largest = try await gateway.upload(parts)
            #expect(largest.status == 202, "\(largest.json)")
        }
    }

    @Test func `parts and the form around them fit into the memory of all uploads, or no gateway starts`() throws {
        var configuration = try GatewayFixture().configuration
        configuration.uploads.bytesInFlightMax = configuration.uploads.bytesMax
        try configuration.validate()
        configuration.uploads.bytesInFlightMax -= 1
        let refusal = ConfigurationError(
            field: .uploadBytesInFlightMax, allowed: "at least one upload: \(configuration.uploads.bytesMax)")
        #expect(throws: refusal) { try configuration.validate() }
    }
}
