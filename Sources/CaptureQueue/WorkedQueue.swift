/// The queue as workers see it: lanes to claim, and to give back.
package protocol WorkedQueue: ReadableQueue {
    /// Takes up to `lanesMax` lanes and waits for the first for up to `wait`.
    func claim(lanesMax: Int, capturesPerLaneMax: Int, wait: Duration) async throws(QueueError) -> [Lease]

    /// Whether there may be a lane to take over; asked often, and before anything is put aside for it.
    func hasLapsedLanes() async throws(QueueError) -> Bool

    /// Takes over at most one lane whose worker has let its lease run out, with one capture only.
    ///
    /// A capture whose worker did not come back for the `deliveriesMax`th time goes to the dead letters instead,
    /// however its lane was given back in between.
    func takeOver() async throws(QueueError) -> Lease?

    /// Gives every lane in `settlements` back in one step each; a lane that another worker holds by now is `.fenced`.
    ///
    /// Sending the same settlement again after an unknown outcome is harmless: it is `.fenced` if it had been done.
    /// After a fault the lanes are this worker's until they are settled again or abandoned.
    func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome]

    /// Moves lanes whose delay is over back to the ready ones; returns how many.
    func promote() async throws(QueueError) -> Int

    /// Whether another worker may have any of these lanes by now; asks nobody.
    ///
    /// So it is where a lease is known to be lost, and where none of its renewals went through for as long as it is good:
    /// the worker has stood still.
    func mayBeLost(_ tokens: [LaneToken]) -> Bool

    /// Stops renewing leases whose lanes cannot be given back; another worker takes them over when they run out.
    func abandon(_ tokens: [LaneToken])
}
