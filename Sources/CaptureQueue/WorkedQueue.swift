/// The queue as workers see it: lanes to claim, and to give back.
package protocol WorkedQueue: ReadableQueue {
    /// Takes up to `lanesMax` lanes; if none is ready, waits up to `wait` for the first.
    func claim(lanesMax: Int, capturesPerLaneMax: Int, wait: Duration) async throws(QueueError) -> [Lease]

    /// Whether there may be a lane to take over; asked often, before the worker makes room for it.
    func hasLapsedLanes() async throws(QueueError) -> Bool

    /// Takes over at most one lane whose worker has let its lease run out, with one capture only.
    ///
    /// A capture at the head whose worker did not come back for the `deliveriesMax`th time becomes a dead letter
    /// instead, even if its lane was given back in between.
    func takeOver() async throws(QueueError) -> Lease?

    /// Gives back each lane in one atomic step; a lane that another worker holds by now is `.fenced`, and one with other
    /// captures at its head a `.mismatch`.
    ///
    /// It is idempotent: after an unknown outcome the same settlement may be sent again; it is `.fenced` if it was
    /// done. After a fault this worker keeps the lanes until it settles them again or abandons them.
    /// - Throws: The fault, if it met all lanes; one that met some of them is their outcome.
    func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome]

    /// Moves lanes whose delay is over back to the ready ones; returns how many.
    func promote() async throws(QueueError) -> Int

    /// Whether another worker may have any of these lanes by now; asks no server.
    ///
    /// True if a lease is known to be lost, or if no renewal succeeded for as long as the lease lasts (for 5 s, if it is
    /// longer: others may have the default): the worker stalled.
    func mayBeLost(_ tokens: [LaneToken]) -> Bool

    /// Stops renewing leases whose lanes cannot be given back; another worker takes them over when they run out.
    func abandon(_ tokens: [LaneToken])
}
