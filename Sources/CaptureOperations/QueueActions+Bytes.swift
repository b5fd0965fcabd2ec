import CaptureModel
import CaptureQueue

/// Removes the bytes of discarded letters from stores that the queue does not empty itself.
extension QueueActions {
    /// What removes the bytes of a letter that is to be discarded; `nil` if their store is not configured here.
    ///
    /// They are looked at before: if the bundle is sent again once the letter is gone, the new capture may get the same
    /// id, and the bytes that it brings are its own.
    func removal(of letter: DeadLetter) async throws(QueueError) -> BundleRemoval? {
        guard let bundles, letter.bundleStore.map({ bundles.holds($0) }) ?? true else { return nil }
        return try await bundles.removal(of: letter.id)
    }

    /// Removes the bytes of a letter that was just discarded; `false` if they could not be looked at before.
    ///
    /// It is done at once, not after all are discarded, for the sake of a bundle that is sent again in between.
    func hasRemovedBytes(
        of letter: DeadLetter, by removal: BundleRemoval?
    ) async throws(QueueError) -> Bool {
        guard let removal else { return false }
        let status = try await queue.status(of: letter.id)
        if status == nil { try await removal() }
        return true
    }
}
