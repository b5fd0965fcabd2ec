import CaptureCrowd
import CaptureModel
import CaptureStore
import DeviceSimulator
import PostgresCaptureStore

/// Earlier results, ten for each device, recorded and settled as gateways and workers do it.
///
/// Nothing goes through the queue, and nothing is verified.
struct PastResults: Sendable {
    static let perDevice = 10
    /// Devices of one batch.
    private static let page = 100

    let stage: BenchStage
    /// The media of every capture.
    let capture: SyntheticCapture

    /// Settles `count` more, a multiple of ten.
    func write(
        _ count: Int, using generator: inout SeededGenerator, progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        let crowd = try await Crowd.register(
            count / Self.perDevice, appID: BenchStage.appID, in: stage.store, at: Timestamp.systemTime(),
            using: &generator, progress: progress)
        var done = 0
        for members in crowd.devices.pages(of: Self.page) {
            let devices = try await stage.store.devices(members.map(\.id))
            var batch: [ExaminedCapture] = []
            for device in members.compactMap({ devices[$0.id] }) {
                for counter in 1...UInt32(Self.perDevice) {
                    batch.append(examined(of: device, counter: counter, using: &generator))
                }
            }
            _ = try await stage.ledger.record(batch.map(\.job.submission))
            let settled = try await stage.store.settle(batch, policy: .strict)
            guard settled.allSatisfy({ $0.verdict == .verified }) else {
                throw BenchFailed("a result of before was not taken")
            }
            done += members.count
            progress(done * Self.perDevice)
        }
    }

    private func examined(
        of device: Device, counter: UInt32, using generator: inout SeededGenerator
    ) -> ExaminedCapture {
        let now = Timestamp.systemTime()
        let id = CaptureID.make(at: now, using: &generator)
        let name = Array(id.description.utf8)
        let digest = SHA256Digest.hash(name)
        let submission = CaptureSubmission(
            id: id, device: device.id, bundleDigest: digest, binding: .concatV1,
            // About as long as an App Attest assertion.
            assertion: digest.bytes + digest.bytes + digest.bytes + digest.bytes, metadata: capture.metadata,
            photoDigest: .hash(digest.bytes), depthDigest: .hash(name + name), photoBytes: capture.photo.count,
            depthBytes: capture.depthMap.count, receivedAt: now, traceParent: nil)
        let checks: [Check.Name] = [
            .device, .assertion, .photoStructure, .photoHash, .depthDecode, .depthPlausibility, .timestamp, .metadata,
        ]
        return ExaminedCapture(
            job: CaptureJob(submission: submission, receivedAt: now, claimedAt: now, attempts: 1, isRedriven: false),
            clientDataHash: digest, checks: checks.map { Check($0, .pass) },
            outcome: .acceptable(device: device, counter: counter, confidence: .high), capturedAt: now,
            verifiedAt: now)
    }
}
