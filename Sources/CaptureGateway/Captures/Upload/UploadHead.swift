import CaptureModel
import HTTPTypes
import Hummingbird
import Multipart

/// What is asked of an upload before its body is read: who sends it, what it is, and how large.
struct UploadHead: Sendable {
    private let bytesMax: Int
    private let devices: RegisteredDevices
    private let room: QueueRoom

    /// What an upload's head says, once it may pass.
    struct Checked: Sendable {
        /// The device that claims to have signed.
        let device: Device
        /// What separates the parts.
        let boundary: MultipartBoundary
        /// The announced size of the body.
        let contentLength: Int?
    }

    /// Form bytes besides the parts' contents: four parts' headers, boundaries and what may surround them.
    static let overheadBytesMax = 32 << 10

    /// - Parameter bytesMax: Bytes of the largest upload.
    init(bytesMax: Int, trust: GatewayConfiguration.Trust, dependencies: GatewayDependencies) {
        self.bytesMax = bytesMax
        self.devices = RegisteredDevices(trust: trust, dependencies: dependencies)
        self.room = QueueRoom(queue: dependencies.queue, now: dependencies.now)
    }

    /// Looks at the head of an upload.
    ///
    /// - Throws: The first rule that it breaks: device, type, size, and room in the queue.
    func check(_ request: Request) async throws(APIError) -> Checked {
        let device = try await device(request.headers[.deviceID])
        let boundary = try Self.boundary(request.headers[.contentType])
        try request.headers.requirePlainContent()
        let length = try request.headers.contentLength(atMost: bytesMax)
        try await room.admit(bytes: length ?? 0)
        return Checked(device: device, boundary: boundary, contentLength: length)
    }

    private func device(_ header: String?) async throws(APIError) -> Device {
        guard let header, let id = DeviceID(header) else { throw .invalid("X-Device-Id", "must be the device's UUID") }
        let found = try await devices.device(id)
        guard found.publicKey != nil else {
            throw .invalid("X-Device-Id", "the device's key could not be read when it registered")
        }
        return found
    }

    private static func boundary(_ header: String?) throws(APIError) -> MultipartBoundary {
        guard let header else {
            throw APIError(.unsupportedMediaType, "the body must be multipart/form-data", field: "Content-Type")
        }
        do throws(MultipartError) {
            return try MultipartBoundary(contentType: header)
        } catch {
            throw APIError(multipart: error, field: "Content-Type")
        }
    }
}

extension GatewayConfiguration.Uploads {
    /// Bytes of the largest upload: its parts, and the form around them.
    var bytesMax: Int {
        BundlePart.allCases.reduce(UploadHead.overheadBytesMax) { $0 + $1.bytesMax(self) }
    }
}
