import CaptureModel
import CaptureQueue

/// The rules of the queue as plain data: no clock, no waiting, no server.
///
/// It is the model that the Redis functions are held against, and the inside of ``MemoryCaptureQueue``. The invariant:
/// a lane is not empty if and only if exactly one of `ready`, `held` and `delayed` stands for it.
struct MemoryQueueState: Sendable {
    /// A capture and where it stands.
    struct Job: Sendable {
        var submission: CaptureSubmission
        var status: JobStatus
        /// Whether a holder did not come back.
        var suspicion = Suspicion.clear
        /// How often that was so while it was at the head of its lane.
        var takeOvers = 0
        /// Its place among the dead letters.
        var diedAt: Timestamp?
    }

    /// A lane in a worker's hands.
    struct Holding: Sendable {
        let device: DeviceID
        var consumer: String
        var deliveries: Int
        var renewedAt: Timestamp
        /// Its holder has given it up and renews it no more.
        var isAbandoned = false
    }

    var limits: MemoryCaptureQueue.Configuration
    var lanes: [DeviceID: [CaptureID]] = [:]
    /// Token numbers in order, with their lanes.
    var ready: [(token: Int, device: DeviceID)] = []
    var held: [Int: Holding] = [:]
    var delayed: [DeviceID: Timestamp] = [:]
    var jobs: [CaptureID: Job] = [:]
    var dead: [CaptureID] = []
    var accepted: [SHA256Digest: CaptureID] = [:]
    /// Settled captures whose status is still known, oldest first.
    var settled: [CaptureID] = []
    var isPaused = false
    /// What is accepted and not settled.
    private(set) var waitingCount = 0
    /// Its bytes.
    private(set) var waitingBytes = 0
    /// Those of each lane that is not empty.
    private(set) var laneBytes: [DeviceID: Int] = [:]
    private var tokensMade = 0

    init(limits: MemoryCaptureQueue.Configuration) {
        self.limits = limits
    }

    mutating func addToken(_ device: DeviceID) {
        tokensMade += 1
        ready.append((tokensMade, device))
    }

    mutating func enqueue(_ submission: CaptureSubmission, now: Timestamp) throws(QueueError) -> EnqueueOutcome {
        if let first = accepted[submission.bundleDigest] {
            guard first == submission.id else { return .duplicate(of: first) }
            // It died for want of the bytes that are there again.
            if jobs[first]?.status.reason == .bundleMissing { _ = redrive(first) }
            return .accepted
        }
        guard jobs[submission.id] == nil else {
            throw QueueError(.refused, "the capture id belongs to another bundle")
        }
        guard waitingCount < limits.capturesMax, waitingBytes + submission.bytes <= limits.bytesMax,
            hasRoomInLane(submission)
        else {
            return .full
        }
        let status = JobStatus(
            id: submission.id, device: submission.device, state: .queued, attempts: 0, reason: nil, fault: nil,
            receivedAt: submission.receivedAt ?? now, claimedAt: nil, settledAt: nil, nextAttemptAt: nil
        )
        jobs[submission.id] = Job(submission: submission, status: status)
        accepted[submission.bundleDigest] = submission.id
        append(submission.id, to: submission.device)
        return .accepted
    }

    /// Whether a capture's lane takes it: an empty one takes any.
    private func hasRoomInLane(_ submission: CaptureSubmission) -> Bool {
        let captures = lanes[submission.device, default: []].count
        let bytes = laneBytes[submission.device, default: 0] + submission.bytes
        return captures == 0 || (captures < limits.capturesPerDeviceMax && bytes <= limits.bytesPerDeviceMax)
    }

    /// Pushes a capture on its lane; only a lane that was empty gets a token.
    private mutating func append(_ capture: CaptureID, to device: DeviceID) {
        let wasEmpty = lanes[device, default: []].isEmpty
        lanes[device, default: []].append(capture)
        let bytes = jobs[capture]?.submission.bytes ?? 0
        waitingCount += 1
        waitingBytes += bytes
        laneBytes[device, default: 0] += bytes
        if wasEmpty { addToken(device) }
    }

    /// Takes the capture at the head out of a lane that has one.
    mutating func removeHead(of device: DeviceID) -> CaptureID? {
        guard let capture = lanes[device]?.first else { return nil }
        lanes[device]?.removeFirst()
        let bytes = jobs[capture]?.submission.bytes ?? 0
        waitingCount -= 1
        waitingBytes -= bytes
        laneBytes[device] = lanes[device]?.isEmpty == true ? nil : laneBytes[device, default: 0] - bytes
        return capture
    }

    mutating func promote(now: Timestamp) -> Int {
        let due = delayed.filter { $0.value <= now }.sorted { $0.value < $1.value }
        for (device, _) in due {
            delayed[device] = nil
            addToken(device)
        }
        return due.count
    }

    mutating func redrive(_ capture: CaptureID) -> Bool {
        guard let index = dead.firstIndex(of: capture), var job = jobs[capture] else { return false }
        dead.remove(at: index)
        if job.status.reason == .deliveriesExhausted { job.suspicion = .grave }
        job.status.state = .queued
        job.status.attempts = 0
        // Nobody has brought its bytes: they are still the changed ones.
        if job.status.reason != .bundleCorrupt { job.status.fault = nil }
        job.status.reason = nil
        job.status.settledAt = nil
        job.status.claimedAt = nil
        job.status.isRedriven = true
        jobs[capture] = job
        append(capture, to: job.submission.device)
        return true
    }

    mutating func redrive(as submission: CaptureSubmission) -> Bool {
        guard dead.contains(submission.id), let job = jobs[submission.id] else { return false }
        let digest = job.submission.bundleDigest
        if digest != submission.bundleDigest, accepted[digest] == submission.id { accepted[digest] = nil }
        if accepted[submission.bundleDigest] == nil { accepted[submission.bundleDigest] = submission.id }
        jobs[submission.id]?.submission = submission
        return redrive(submission.id)
    }

    mutating func forget(_ bundle: SHA256Digest, acceptedAs capture: CaptureID) -> Bool {
        guard jobs[capture] == nil, accepted[bundle] == capture else { return false }
        accepted[bundle] = nil
        return true
    }

    mutating func discard(_ letter: DeadLetter.Position) -> Bool {
        let capture = letter.capture
        guard let index = dead.firstIndex(of: capture),
            jobs[capture]?.diedAt?.millisecondsSince1970 == letter.diedAt.millisecondsSince1970
        else { return false }
        dead.remove(at: index)
        if let job = jobs.removeValue(forKey: capture) { accepted[job.submission.bundleDigest] = nil }
        return true
    }
}

extension CaptureSubmission {
    /// The sum of the sizes of photo and depth map.
    var bytes: Int { photoBytes + depthBytes }
}
