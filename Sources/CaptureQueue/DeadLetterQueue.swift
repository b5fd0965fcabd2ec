package import CaptureModel

/// The captures that were given up, and what may become of them.
package protocol DeadLetterQueue: ReadableQueue {
    /// Up to `limit` dead letters (1 to 1,000), oldest first, after a place in their order.
    ///
    /// Letters that come or go meanwhile shift nothing: a reader going on from ``DeadLetterPage/next`` sees each once.
    func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage

    /// The place after which the newest `count` dead letters come; `nil` when there are no more than these.
    ///
    /// A page after this place begins with the oldest of them.
    func deadLetterPlace(beforeNewest count: Int) async throws(QueueError) -> DeadLetter.Position?

    /// The dead letter of a capture; `nil` when there is none of this id.
    func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter?

    /// The job of a device's capture that waits or is a dead letter, as its sender described it; `nil` for none.
    ///
    /// The bundle digest by which the queue finds duplicates is declared by the sender, not checked.
    func job(of capture: CaptureID, from device: DeviceID) async throws(QueueError) -> ClaimedJob?

    /// Puts a device's dead letter back at the end of its lane; `false` when the device's partition has none of this id.
    func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool

    /// Puts a dead letter back as its row in the ledger has it, whatever has become of its job; `false` when the
    /// partition of its device has none of this id.
    func redrive(as submission: CaptureSubmission) async throws(QueueError) -> Bool

    /// Deletes a dead letter and its bytes for good; `false` when there is none at this place.
    ///
    /// A letter that was put back and given up again has another place: the operator did not decide on that one.
    func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool
}
