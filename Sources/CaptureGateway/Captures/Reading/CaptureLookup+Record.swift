import CaptureModel

extension CaptureLookup {
    /// Whether there may be a result of a capture that the reader may see.
    ///
    /// A worker that has had the capture may have committed its result and not have told the queue yet: whoever has read
    /// the result while Redis was away is not told afterwards that the capture is worked on.
    ///
    /// A hand-off client chooses the capture id and may reuse one whose result the queue has forgotten, so the record
    /// is asked about captures that no worker has had as well. Two cases need no question: a device asking about its own
    /// capture (it may not see another's result), and an id made within 60 s of receipt (the queue forgets no result that
    /// fast). So most captures that wait for their turn cost the record nothing, and are shown while it is away.
    static func mayHaveResult(_ job: JobStatus?, for reader: Reader) -> Bool {
        // When a capture is redriven, the queue forgets that a worker has had it.
        guard let job, job.state.isWaiting, job.claimedAt == nil, !job.isRedriven else { return true }
        if case .device(let own, _) = reader { return job.device != own }
        guard let madeAt = job.id.madeAt else { return true }
        let age = job.receivedAt.since(madeAt)
        return age > newIDMax || age < .zero - newIDMax
    }

    /// The longest time between the making of an id and its capture's receipt, allowing for the gateways' clocks.
    ///
    /// The queue remembers settled captures for longer, unless `queue.statusRetention` is next to nothing.
    private static let newIDMax = Duration.seconds(60)
}
