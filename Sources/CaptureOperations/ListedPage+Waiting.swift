package import CaptureQueue
package import CaptureStore

/// Lists of captures in some of the states that only the queue knows.
extension ListedPage {
    /// How many captures are looked at for one page, where only some of them pass.
    package static let looksMax = 2_000
    /// How many of these are asked for at once.
    private static let lookedAtOnce = 200

    /// Reads on until a page is full of captures that pass, or ``looksMax`` were looked at.
    ///
    /// The queue alone knows in which state a capture waits, and why it is put off. It has no index of a state in the
    /// order of receipt: it keeps lanes, of which one may be put off or in a worker's hands while most of its captures
    /// are queued. The ledger has that order, and no states.
    /// - Parameter passes: Whether a capture that passes the filter is to be listed.
    package static func read(
        _ filter: CaptureFilter, after place: CapturePosition?, limit: Int, from archive: any CaptureArchive,
        store: any CaptureStore, queue: any ReadableQueue, where passes: (ListedCapture) -> Bool
    ) async throws(ServerFault) -> ListedPage {
        let step = max(limit, lookedAtOnce)
        var (captures, position, looked): ([ListedCapture], CapturePosition?, Int) = ([], place, 0)
        repeat {
            let found = try await read(filter, after: position, limit: step, from: archive, store: store, queue: queue)
            for capture in found.captures where passes(capture) {
                if captures.count == limit {
                    return ListedPage(captures: captures, next: captures.last?.position, cutAfter: nil)
                }
                captures.append(capture)
            }
            position = found.next
            looked += step
        } while position != nil && looked < looksMax
        let isCut = position != nil && captures.count < limit
        return ListedPage(captures: captures, next: position, cutAfter: isCut ? looked : nil)
    }
}
