import CaptureInspection
import CaptureModel
import CaptureQueue
import CaptureStore
import NIOCore

/// The photo and the depth map of a capture, for as long as its bundle is kept.
struct Pictures: Sendable {
    let ledger: (any IntakeLedger)?
    let bundles: any BundleStore
    /// What metadata may say, and with it how many values a depth map may decode to.
    let limits: MetadataLimits
    /// Bounds how many are made at once; all requests share it.
    let gate: PictureGate
    /// Told that a server has given bytes: where nothing is uploaded, nothing else asks for any.
    let outages: Outages

    /// What there is to show of a capture.
    enum Remains: Sendable {
        case nothing, kept, gone
        /// A worker that was to read them did not find them.
        case notFound
        /// A worker that has read them found others than were accepted.
        case changed
    }

    /// What there is to show of a capture: the ledger has it open, and with it where its bytes are.
    /// - Parameters:
    ///   - device: Whose capture is meant; another one's under the same id is not shown in its place.
    ///   - letter: The capture's dead letter, which may tell that its bytes are not there.
    ///   - reason: Why the capture was put off or given up.
    func remains(
        of capture: CaptureID, from device: DeviceID, letter: DeadLetter?, reason: Reason?
    ) async throws(APIError) -> Remains {
        if letter?.bytes == .gone { return .gone }
        if letter?.bytes == .notFound { return .notFound }
        guard try await submission(of: capture, from: device) != nil else { return .nothing }
        return reason == .bundleCorrupt ? .changed : .kept
    }

    /// The photo of a device's capture, as uploaded.
    func photo(of capture: CaptureID, from device: DeviceID) async throws(APIError) -> Picture {
        try await Self.offLoop { () async throws(APIError) in
            let place = try await PicturePlace(at: gate)
            return Picture(bytes: try await media(of: capture, from: device).media.photo, place: place)
        }
    }

    /// The depth map of a device's capture as a picture of as many points as it has values.
    func depth(of capture: CaptureID, from device: DeviceID) async throws(APIError) -> Picture {
        try await Self.offLoop { () async throws(APIError) in
            let place = try await PicturePlace(at: gate)
            let (submission, media) = try await media(of: capture, from: device)
            guard let metadata = try? CaptureMetadata.parse(submission.metadata, limits: limits),
                let map = try? DepthDecoder().decode(
                    Array(media.depth.readableBytesView).span, dimensions: metadata.depthDimensions)
            else { throw APIError(.notFound, "the depth map does not decode") }
            return Picture(bytes: HeatMap(map).picture, place: place)
        }
    }

    /// Digests and decoding take long, and meanwhile an event loop would serve nobody else.
    private static func offLoop(
        _ make: () async throws(APIError) -> Picture
    ) async throws(APIError) -> Picture {
        try await withTaskExecutorPreference(globalConcurrentExecutor, operation: make)
    }

    private func media(
        of capture: CaptureID, from device: DeviceID
    ) async throws(APIError) -> (submission: CaptureSubmission, media: CaptureMedia) {
        guard let submission = try await submission(of: capture, from: device) else { throw Self.gone }
        let fetched = try await askingQueue { () async throws(QueueError) in
            try await bundles.fetch([submission])
        }
        switch fetched.first {
        case .found(let media):
            outages.answered(submission.bundleServer)
            guard media.isDeclared(by: submission) else { throw Self.changed }
            return (submission, media)
        case .unreadable(let why):
            throw APIError(
                .unavailable, "the capture's bytes cannot be read now", retryAfter: .seconds(5), cause: .busy(why))
        case .missing, nil: throw Self.gone
        }
    }

    private func submission(
        of capture: CaptureID, from device: DeviceID
    ) async throws(APIError) -> CaptureSubmission? {
        let submission = try await askingStore { () async throws(StoreError) -> CaptureSubmission? in
            try await ledger?.entries(of: [capture]).first?.submission
        }
        return submission?.device == device ? submission : nil
    }

    private static let gone = APIError(.notFound, "the capture's bytes are not kept any more")
    /// Nobody shall decide on a capture by a picture that is not its own.
    private static let changed = APIError(.notFound, "the bytes that are kept are not those that were accepted")
}

extension CaptureMedia {
    /// Whether these are the bytes that a submission declares.
    fileprivate func isDeclared(by submission: CaptureSubmission) -> Bool {
        SHA256Digest.hash(Array(photo.readableBytesView)) == submission.photoDigest
            && SHA256Digest.hash(Array(depth.readableBytesView)) == submission.depthDigest
    }
}

extension CaptureSubmission {
    /// The server that gives its bytes.
    var bundleServer: BackingServer { bundleStore == .redis ? .redis : .bundles }
}
