public import CaptureModel
public import NIOCore

/// The media of a capture.
public struct CaptureBundle: Sendable, Equatable {
    /// The photo's bytes as uploaded.
    public var photo: ByteBuffer
    /// The depth map's bytes as uploaded.
    public var depth: ByteBuffer

    /// Puts the two together.
    public init(photo: ByteBuffer, depth: ByteBuffer) {
        self.photo = photo
        self.depth = depth
    }

    /// The sum of the two sizes.
    public var bytes: Int { photo.readableBytes + depth.readableBytes }
}

/// Where the bytes of captures stay while their tokens travel.
///
/// Whoever enqueues stores the bytes first. Bytes whose capture was never enqueued are removed by the store after a
/// while; bytes of an enqueued one stay until it is settled or discarded.
public protocol BundleStore: Sendable {
    /// The name under which the queue's jobs refer to it.
    static var name: String { get }

    /// Stores a capture's bytes.
    func put(_ bundle: CaptureBundle, for capture: CaptureID, device: DeviceID) async throws(QueueError)

    /// Fetches the bytes of several captures, in the order asked; `nil` for those whose bytes are gone.
    func fetch(_ captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [CaptureBundle?]

    /// Removes the bytes of a capture that was not enqueued after all.
    func remove(_ capture: CaptureID, device: DeviceID) async throws(QueueError)
}
