import CaptureInspection
import CaptureModel
import CaptureQueue
import CaptureStore
import NIOCore
import Observability

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
    enum Remains: Sendable { case nothing, kept, gone }

    /// What there is to show of a capture: the ledger has it open, and with it where its bytes are.
    /// - Parameters:
    ///   - device: Whose capture is meant; another one's under the same id is not shown in its place.
    ///   - letter: The capture's dead letter, which may tell that its bytes are gone.
    func remains(
        of capture: CaptureID, from device: DeviceID, letter: DeadLetter?
    ) async throws(APIError) -> Remains {
        if letter?.bytes == .gone { return .gone }
        return try await submission(of: capture, from: device) == nil ? .nothing : .kept
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

/// A depth map as a picture: near is bright, far is dark, and what was not measured is grey.
struct HeatMap {
    private let map: DepthMap

    init(_ map: DepthMap) {
        self.map = map
    }

    /// A bitmap of one byte for each point and a palette (BMP with BITMAPINFOHEADER): nothing needs to be compressed.
    var picture: ByteBuffer {
        let (width, height) = (map.dimensions.width, map.dimensions.height)
        let stride = (width + 3) & ~3
        let start = 14 + 40 + 256 * 4
        var picture = ByteBuffer()
        picture.reserveCapacity(start + stride * height)
        picture.writeString("BM")
        for field in [start + stride * height, 0, start, 40, width, height] { picture.write32(field) }
        // One plane of eight bits, not compressed; the rest may be 0.
        picture.write32(1 | 8 << 16)
        for field in [0, stride * height, 0, 0, 256, 0] { picture.write32(field) }
        for index in 0..<256 { picture.write32(Self.colour(index)) }
        let (near, far) = (map.summary.nearest ?? 0, map.summary.farthest ?? 1)
        // Lines come from the bottom up.
        for line in (0..<height).reversed() {
            for column in 0..<width { picture.writeInteger(Self.index(map.values[line * width + column], near, far)) }
            picture.writeRepeatingByte(0, count: stride - width)
        }
        return picture
    }

    /// 0 for what was not measured, 1 for the farthest to 255 for the nearest.
    private static func index(_ value: Float, _ near: Float, _ far: Float) -> UInt8 {
        guard value.isFinite, value > 0, far > 0 else { return 0 }
        let share = far > near ? (far - value) / (far - near) : 1
        return UInt8(1 + min(max(share, 0), 1) * 254)
    }

    /// Dark violet over magenta and orange to light yellow, as four straight lines between five colours.
    private static func colour(_ index: Int) -> Int {
        guard index > 0 else { return 0x8A8A8A }
        let stops: [(red: Double, green: Double, blue: Double)] = [
            (20, 11, 52), (87, 16, 110), (188, 55, 84), (249, 142, 9), (252, 255, 164),
        ]
        let place = Double(index - 1) / 254 * Double(stops.count - 1)
        let low = min(Int(place), stops.count - 2)
        let share = place - Double(low)
        func mix(_ from: Double, _ to: Double) -> Int { Int(from + (to - from) * share) }
        let (from, to) = (stops[low], stops[low + 1])
        return mix(from.red, to.red) << 16 | mix(from.green, to.green) << 8 | mix(from.blue, to.blue)
    }
}

extension ByteBuffer {
    fileprivate mutating func write32(_ value: Int) {
        writeInteger(UInt32(truncatingIfNeeded: value), endianness: .little)
    }
}

extension CaptureSubmission {
    /// The server that gives its bytes.
    var bundleServer: CaptureMetrics.Dependency { bundleStore == .redis ? .redis : .bundles }
}
