/// What a gateway hands to the queue for one capture, apart from the media themselves.
public struct CaptureSubmission: Sendable, Equatable {
    /// The id that the capture gets, unless the same bundle was accepted before.
    public let id: CaptureID
    /// The device that claims to have signed.
    public let device: DeviceID
    /// What tells this bundle from every other; see ``BundleDigest``.
    public let bundleDigest: SHA256Digest
    /// How the signature binds the bytes.
    public let binding: Binding
    /// The assertion as CBOR, not yet verified.
    public let assertion: [UInt8]
    /// The metadata as they were uploaded.
    public let metadata: [UInt8]
    /// SHA-256 of the photo's bytes as uploaded.
    public let photoDigest: SHA256Digest
    /// SHA-256 of the depth map's bytes as uploaded.
    public let depthDigest: SHA256Digest
    /// Size of the photo in bytes.
    public let photoBytes: Int
    /// Size of the depth map as uploaded, in bytes.
    public let depthBytes: Int
    /// When the gateway had the whole bundle; everything is verified at this time.
    ///
    /// `nil`: the queue's clock.
    public let receivedAt: Timestamp?
    /// W3C trace context (`traceparent`) of the upload, at most 55 characters.
    public let traceParent: String?
    /// Which store holds the bytes.
    public let bundleStore: BundleStoreName

    /// Puts a submission together.
    public init(
        id: CaptureID, device: DeviceID, bundleDigest: SHA256Digest, binding: Binding, assertion: [UInt8],
        metadata: [UInt8], photoDigest: SHA256Digest, depthDigest: SHA256Digest, photoBytes: Int, depthBytes: Int,
        receivedAt: Timestamp?, traceParent: String?, bundleStore: BundleStoreName = .redis
    ) {
        self.id = id
        self.device = device
        self.bundleDigest = bundleDigest
        self.binding = binding
        self.assertion = assertion
        self.metadata = metadata
        self.photoDigest = photoDigest
        self.depthDigest = depthDigest
        self.photoBytes = photoBytes
        self.depthBytes = depthBytes
        self.receivedAt = receivedAt
        self.traceParent = traceParent
        self.bundleStore = bundleStore
    }
}

/// A capture as a worker gets it from the queue: parsed, but its assertion not yet verified.
///
/// A class that never changes: batches of them are handed on from station to station, and to copy one that holds
/// everything itself would count a reference for each of its parts.
public final class CaptureJob: Sendable, Equatable {
    /// What the gateway handed over; its `receivedAt` is always set here.
    public let submission: CaptureSubmission
    /// When the gateway had the whole bundle.
    public let receivedAt: Timestamp
    /// When the capture was claimed this time, by the queue's clock.
    public let claimedAt: Timestamp
    /// How often it was claimed, this time included.
    public let attempts: Int
    /// Whether an operator took it back from the dead letters.
    public let redriven: Bool

    /// Puts a job together.
    public init(
        submission: CaptureSubmission, receivedAt: Timestamp, claimedAt: Timestamp, attempts: Int, redriven: Bool
    ) {
        self.submission = submission
        self.receivedAt = receivedAt
        self.claimedAt = claimedAt
        self.attempts = attempts
        self.redriven = redriven
    }

    /// Whether both say the same.
    public static func == (one: CaptureJob, other: CaptureJob) -> Bool {
        one.submission == other.submission && one.receivedAt == other.receivedAt && one.claimedAt == other.claimedAt
            && one.attempts == other.attempts && one.redriven == other.redriven
    }

    /// The capture's id.
    public var id: CaptureID { submission.id }
    /// The device that claims to have signed.
    public var device: DeviceID { submission.device }
}

/// Where the time of a capture went, for status answers.
public struct CaptureTimings: Sendable, Equatable {
    /// From accepted to claimed.
    public var queue: Duration
    /// Fetching the bytes and checking them.
    public var verify: Duration
    /// The transaction that settled it, shared with its batch.
    public var settle: Duration

    /// Puts the three together.
    public init(queue: Duration, verify: Duration, settle: Duration) {
        self.queue = queue
        self.verify = verify
        self.settle = settle
    }
}

/// Where a capture stands, as the queue knows it.
public struct JobStatus: Sendable, Equatable {
    /// The capture.
    public var id: CaptureID
    /// Its device.
    public var device: DeviceID
    /// Where it stands.
    public var state: CaptureState
    /// How often it was claimed.
    public var attempts: Int
    /// Why it was rejected or failed.
    public var reason: Reason?
    /// The fault that put it off or made it fail, in words that are safe to show.
    public var fault: String?
    /// When the gateway had the bundle.
    public var receivedAt: Timestamp
    /// When it was claimed last.
    public var claimedAt: Timestamp?
    /// When it came to its terminal state.
    public var settledAt: Timestamp?
    /// When a capture that was put off is tried again.
    public var nextAttemptAt: Timestamp?
    /// Where the time went, once settled.
    public var timings: CaptureTimings?
    /// Whether an operator took it back from the dead letters.
    public var redriven = false

    /// Puts a status together.
    public init(
        id: CaptureID, device: DeviceID, state: CaptureState, attempts: Int, reason: Reason?, fault: String?,
        receivedAt: Timestamp, claimedAt: Timestamp?, settledAt: Timestamp?, nextAttemptAt: Timestamp?,
        timings: CaptureTimings?
    ) {
        self.id = id
        self.device = device
        self.state = state
        self.attempts = attempts
        self.reason = reason
        self.fault = fault
        self.receivedAt = receivedAt
        self.claimedAt = claimedAt
        self.settledAt = settledAt
        self.nextAttemptAt = nextAttemptAt
        self.timings = timings
    }
}
