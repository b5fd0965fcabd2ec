package import CaptureModel

/// A capture that was given up: it stays with its bytes, without an expiry, until an operator decides.
package struct DeadLetter: Sendable, Equatable {
    /// A place in the order of dead letters, which is by time and then by id: a page ends there and the next begins.
    package struct Position: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// When it was given up.
        package let diedAt: Timestamp
        /// Which capture.
        package let capture: CaptureID

        /// Names a place in the order.
        package init(diedAt: Timestamp, capture: CaptureID) {
            self.diedAt = diedAt
            self.capture = capture
        }

        /// Reads the text form: milliseconds since 1970, a colon and the capture's id.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let time = Int64(parts[0]), time >= 0, let capture = CaptureID(parts[1]) else {
                return nil
            }
            self.init(diedAt: Timestamp(millisecondsSince1970: time), capture: capture)
        }

        /// The text form.
        package var description: String { "\(diedAt.millisecondsSince1970):\(capture)" }

        /// By time, then by id.
        package static func < (left: Position, right: Position) -> Bool {
            (left.diedAt, left.capture.description) < (right.diedAt, right.capture.description)
        }
    }

    /// What is known of a dead letter's photo and depth map.
    package enum Bytes: Sendable {
        /// They are there.
        case kept
        /// They are not there.
        case gone
        /// They are in a store that nobody has looked into.
        case unseen
        /// A worker did not find them in such a store; a backup or the same bundle may have brought them back since.
        case notFound
        /// Nobody knows in which store they are: Redis has lost the job, or it is malformed.
        case unknown

        /// What is known once somebody has looked for them.
        package init(areKept: Bool) {
            self = areKept ? .kept : .gone
        }

        /// What is known of bytes in a store that the queue cannot look into.
        ///
        /// Only the worker's reason tells whether they were there.
        package init(notLookedForAfter reason: Reason?) {
            self = reason == .bundleMissing ? .notFound : .unseen
        }

        /// Whether they are not there, as far as is known.
        package var areMissing: Bool { self == .gone || self == .notFound }

        /// Whether they are there; `nil` where nobody has looked.
        package var areKept: Bool? {
            switch self {
            case .kept: true
            case .gone, .notFound: false
            case .unseen, .unknown: nil
            }
        }
    }

    /// Where the capture stands: reason, fault, attempts, times.
    package var status: JobStatus
    /// When it was given up, by the queue's clock.
    package var diedAt: Timestamp
    /// How often its lane had been delivered when it was given up; `nil` where nobody counted.
    package var deliveries: Int?
    /// Size of the photo in bytes; `nil` when the job does not tell.
    package var photoBytes: Int?
    /// Size of the depth map as uploaded, in bytes; `nil` when the job does not tell.
    package var depthBytes: Int?
    /// The bundle store that has its bytes; `nil` when the job does not tell.
    package var bundleStore: BundleStoreName?
    /// What is known of its photo and depth map.
    package var bytes: Bytes

    /// Memberwise.
    package init(
        status: JobStatus, diedAt: Timestamp, deliveries: Int?, photoBytes: Int?, depthBytes: Int?,
        bundleStore: BundleStoreName?, bytes: Bytes
    ) {
        self.status = status
        self.diedAt = diedAt
        self.deliveries = deliveries
        self.photoBytes = photoBytes
        self.depthBytes = depthBytes
        self.bundleStore = bundleStore
        self.bytes = bytes
    }

    /// The capture.
    package var id: CaptureID { status.id }
    /// Size of photo and depth map in bytes; `nil` if Redis has lost the job, or it is malformed.
    package var size: Int? { photoBytes.flatMap { photo in depthBytes.map { photo + $0 } } }
    /// Its place in the order.
    package var position: Position { Position(diedAt: diedAt, capture: id) }
}
