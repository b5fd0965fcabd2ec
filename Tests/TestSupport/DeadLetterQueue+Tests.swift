package import CaptureModel
package import CaptureQueue

extension DeadLetterQueue {
    /// Puts a capture's dead letter back at the end of its device's lane; `false` when there is none.
    package func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool {
        guard let letter = try await deadLetter(capture) else { return false }
        return try await redrive(capture, from: letter.status.device)
    }

    /// Deletes a capture's dead letter as it is now; `false` when there is none.
    package func discardLetter(of capture: CaptureID) async throws(QueueError) -> Bool {
        guard let letter = try await deadLetter(capture) else { return false }
        return try await discard(letter.position)
    }
}
