package import CaptureModel
package import CaptureQueue

extension DeadLetterQueue {
    /// Deletes a capture's dead letter as it is now; `false` when there is none.
    package func discardLetter(of capture: CaptureID) async throws(QueueError) -> Bool {
        guard let letter = try await deadLetter(capture) else { return false }
        return try await discard(letter.position)
    }
}
