package import CaptureModel

/// The captures that were given up, and what may become of them.
package protocol DeadLetterQueue: ReadableQueue {
    /// Up to `limit` dead letters (1 to 1,000), oldest first, after a place in their order.
    ///
    /// Those that come or go meanwhile shift nothing: a reader who goes on where the page says meets each once.
    func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage

    /// The dead letter of a capture; `nil` when there is none of this id.
    func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter?

    /// Puts a dead letter back at the end of its device's lane; `false` when there is none of this id.
    func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool

    /// Deletes a dead letter and its bytes for good; `false` when there is none at this place.
    ///
    /// One that was put back and given up anew is at another: nobody has decided on that.
    func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool
}
