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

    @Test(arguments: BundlePart.allCases)
    func `are the last bytes that are taken: with one more it is 413, and says which part`(
        part: BundlePart
    ) async throws {
        try await CapturesGateway.run {
            $0.photoBytesMax = 70_000
            $0.depthBytesMax = 200_000
        } _: { gateway in
            var parts = try gateway.capture().parts
            let place = try #require(parts.firstIndex { $0.name == part.rawValue })
            // As text: line ends behind it are passed over.
            if part == .assertion { parts[place].bytes = Array(parts[place].bytes.base64.utf8) }
            let (bytes, filler) = Self.limit(part)
            let room = bytes - parts[place].bytes.count
            try #require(room > 0)
            parts[place].bytes += Array(repeating: filler, count: room)
            let largest = try await gateway.upload(parts)
            #expect(largest.status == 202, "\(largest.json)")
            parts[place].bytes.append(filler)
            let larger = try await gateway.upload(parts)
            #expect(larger.status == 413 && larger.code == "PAYLOAD_TOO_LARGE" && larger.field == part.rawValue)
        }
    }
}
