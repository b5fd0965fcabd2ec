import CaptureInspection
import CaptureModel
import DeviceSimulator
import Testing

@Suite struct `Synthetic captures under inspection` {
    private static let moment = Timestamp(millisecondsSince1970: 1_790_000_000_000)

    private func inspect(_ capture: SyntheticCapture) -> MediaFindings {
        MediaInspector().inspect(
            photo: capture.photo.span, depth: capture.depthMap.span, metadata: capture.metadata,
            photoDigest: .hash(capture.photo), registered: RegisteredDevice(model: "iPhone17,1", hasLidar: true),
            receivedAt: Self.moment
        )
    }

    @Test(arguments: 1...20)
    func `nothing is held against them`(seed: UInt64) throws {
        let capture = try SyntheticCapture(
            seed: seed, photoBytes: 20_000 + Int(seed) * 7001, capturedAt: Self.moment, binding: .concatV1
        )
        let findings = inspect(capture)
        #expect(findings.checks.filter { $0.outcome != .pass } == [])
        #expect(findings.capturedAt == Self.moment)
        #expect(try CaptureMetadata.parse(capture.metadata).binding == .concatV1)
    }

    @Test func `only a signature can tell a tampered one`() throws {
        let capture = try SyntheticCapture(seed: 9, photoBytes: 60_000, capturedAt: Self.moment)
        for tampered in [capture.photoTampered(), capture.depthMapTampered(), capture.metadataRewritten()] {
            #expect(tampered != capture)
            #expect(inspect(tampered).checks == inspect(capture).checks)
        }
        #expect(capture.photoTampered().photo != capture.photo)
        #expect(capture.depthMapTampered().depthMap != capture.depthMap)
        #expect(capture.metadataRewritten().photo == capture.photo)
    }
}
