package import CaptureModel

/// A queue whose lost captures can be put back from a ledger of what was accepted.
///
/// A queue may lose data: it is flushed, a failover drops the last writes, a restart does not find its file. Each
/// partition carries a mark that does not survive any of these. While the mark is missing, gateways with a ledger that
/// enqueue get ``QueueError/Code/restoring``, so that no capture comes before the lost ones of its device.
///
/// ```swift
/// guard let mark = try await queue.beginRestoration(of: 0, mark: newMark).mark else { return }
/// _ = try await queue.restore(lost, in: 0, under: mark)
/// let restoration = try await queue.finishRestoration(of: 0, mark: mark)
/// ```
package protocol RestorableQueue: Sendable {
    /// The partition that a device's captures are in.
    func partition(of device: DeviceID) -> Int

    /// Where each partition stands, in order.
    /// - Throws: ``QueueError/Code/refused`` when all refuse to say.
    func restorations() async throws(QueueError) -> [Restoration]

    /// Begins to restore a partition, or joins the restoration that is under way; returns the partition's new state.
    func beginRestoration(of partition: Int, mark: RestorationMark) async throws(QueueError) -> Restoration

    /// Ends a restoration, unless its mark was lost in the meantime; returns the partition's new state.
    func finishRestoration(of partition: Int, mark: RestorationMark) async throws(QueueError) -> Restoration

    /// Takes note of the partitions that refused when they were last restored or looked through, so that it is told.
    func note(refused: [Int: QueueError])

    /// What the queue knows of captures, in the order asked.
    func presence(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [Presence]

    /// The places of up to `limit` dead letters of a partition after `place`, in order; from the first one without it.
    func deadLetterPlaces(
        in partition: Int, after place: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadLetter.Position]

    /// Puts a dead letter of a partition back at the end of its device's lane; `false` when it has none of this id.
    func redrive(_ capture: CaptureID, in partition: Int) async throws(QueueError) -> Bool

    /// Puts captures of one partition back, in the order given and regardless of limits.
    ///
    /// Captures that the queue knows stay as they are, and so do settled ones, unless they are to be forgotten as such.
    /// One whose bundle leads to another capture is left out; behind ``RestoreOutcome/accepted(as:)`` all are.
    /// - Throws: ``QueueError/Code/restoring`` when the mark is no longer in force. Then only the first captures were
    ///   put back, without a gap.
    func restore(
        _ captures: [LostCapture], in partition: Int, under mark: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome]
}
