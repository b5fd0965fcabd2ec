package import CaptureModel
package import CaptureQueue

/// A queue in memory that a test's own type does one thing differently from.
package protocol ForwardingQueue: CaptureQueue {
    /// What does the rest.
    var memory: MemoryCaptureQueue { get }
}

extension ForwardingQueue {
    /// Accepts a capture.
    package func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
        try await memory.enqueue(submission)
    }
    /// Forgets a bundle.
    package func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool {
        try await memory.forget(bundle, of: device, acceptedAs: capture)
    }
    /// Tells what a bundle was accepted as.
    package func accepted(_ bundle: SHA256Digest) async throws(QueueError) -> CaptureID? {
        try await memory.accepted(bundle)
    }
    /// Tells what was submitted as a capture.
    package func job(of capture: CaptureID, from device: DeviceID) async throws(QueueError) -> ClaimedJob? {
        try await memory.job(of: capture, from: device)
    }
    /// Tells how full it is.
    package func load() async throws(QueueError) -> QueueLoad { try await memory.load() }
    /// Tells where captures stand.
    package func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
        try await memory.status(of: captures)
    }
    /// Claims lanes.
    package func claim(lanesMax: Int, capturesPerLaneMax: Int, wait: Duration) async throws(QueueError) -> [Lease] {
        try await memory.claim(lanesMax: lanesMax, capturesPerLaneMax: capturesPerLaneMax, wait: wait)
    }
    /// Looks for lanes whose lease has run out.
    package func hasLapsedLanes() async throws(QueueError) -> Bool { try await memory.hasLapsedLanes() }
    /// Takes over a lane.
    package func takeOver() async throws(QueueError) -> Lease? { try await memory.takeOver() }
    /// Gives lanes back.
    package func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
        try await memory.settle(settlements)
    }
    /// Moves lanes whose delay is over.
    package func promote() async throws(QueueError) -> Int { try await memory.promote() }
    /// Tells whether lanes may be others' by now.
    package func mayBeLost(_ tokens: [LaneToken]) -> Bool { memory.mayBeLost(tokens) }
    /// Stops renewing leases.
    package func abandon(_ tokens: [LaneToken]) { memory.abandon(tokens) }
    /// Lists dead letters.
    package func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
        try await memory.deadLetters(after: after, limit: limit)
    }
    /// Finds the newest dead letters.
    package func deadLetterPlace(beforeNewest count: Int) async throws(QueueError) -> DeadLetter.Position? {
        try await memory.deadLetterPlace(beforeNewest: count)
    }
    /// Reads a dead letter.
    package func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? {
        try await memory.deadLetter(capture)
    }
    /// Puts a dead letter back.
    package func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool {
        try await memory.redrive(capture, from: device)
    }
    /// Puts a dead letter back as its row has it.
    package func redrive(as submission: CaptureSubmission) async throws(QueueError) -> Bool {
        try await memory.redrive(as: submission)
    }
    /// Deletes a dead letter.
    package func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool {
        try await memory.discard(letter)
    }
}
