import CaptureQueue
import CaptureStore
import Waiting

extension CaptureWorker {
    /// One pipeline: claims, works, gives back, and again.
    func claimAndWork() async {
        while !stop.isOpen {
            let round = await claimer.pace.begin()
            // Claiming is a part of the round: while a suspect is worked, this worker claims nothing that would be lost
            // with it.
            await gate.withShared {
                let leases = await claimer.claim(in: round)
                return await busyLanes.hold(leases.count) { await work(leases) }
            } thenAlone: { suspects in
                _ = await busyLanes.hold(suspects.count) { await workAlone(suspects) }
            } otherwise: { suspects in
                await handBack(suspects)
            }
            claimer.pace.end()
        }
    }

    /// Works the leases that are no suspects beside other rounds, and returns the suspects to be worked alone next.
    ///
    /// When one batch has waited in vain, the remaining ones are handed back and do not wait as long again: a lane that
    /// is held for too long counts as forgotten in the end.
    private func work(_ leases: [Lease]) async -> [Lease]? {
        let (suspects, others) = SuspectGroup.first(of: leases.filter(\.isSuspect))
        // If the first group ended the worker, these suspects would be lost with it.
        await handBack(others)
        let batches = BatchPlan.batches(
            of: leases.filter { !$0.isSuspect }, bytesMax: configuration.batchBytesMax,
            capturesMax: configuration.batchCapturesMax
        )
        var mayGoOn = true
        for batch in batches {
            if mayGoOn, await !isToYield() {
                mayGoOn = await processor.process(batch)
            } else {
                await processor.handBack(batch)
            }
        }
        guard mayGoOn else {
            await handBack(suspects)
            return nil
        }
        return suspects.isEmpty ? nil : suspects
    }

    /// Whether batches not yet begun are to be handed back, because a suspect waits or the worker stops.
    private func isToYield() async -> Bool {
        if stop.isOpen { return true }
        return await gate.isClosed
    }

    private func handBack(_ leases: [Lease]) async {
        await processor.handBack(leases.map { LanePortion(lease: $0, jobs: $0.jobs[...]) })
    }

    /// Works suspects while nothing else is under way; once the worker stops, no suspect is begun.
    /// - Returns: Whether there is time for others.
    private func workAlone(_ suspects: [Lease]) async -> Bool {
        guard !stop.isOpen else {
            await handBack(suspects)
            return false
        }
        let areSlight = suspects.allSatisfy { $0.suspicion == .slight }
        let batches = BatchPlan.batches(
            of: suspects, bytesMax: areSlight ? configuration.batchBytesMax : 0,
            capturesMax: areSlight ? SuspectGroup.capturesMax : 1)
        let processor = processor.forSuspects
        var mayGoOn = true
        for batch in batches {
            if mayGoOn, !stop.isOpen {
                mayGoOn = await processor.process(batch)
            } else {
                await processor.handBack(batch)
            }
        }
        return mayGoOn
    }

    /// Works the lanes of lost workers.
    func takeOverLanes() async {
        await takeOver.takeLanes { suspects in
            await workAlone(suspects)
        } handBack: { suspects in
            await handBack(suspects)
        }
    }

    /// Makes lanes ready again whose delay is over.
    func promoteLanes() async {
        promotionRefusals.note(
            await patience.withQueue(.untilStop) { () async throws(QueueError) in try await queue.promote() })
    }

    /// Pings the record while it is away: an idle worker asks it nothing else, and would never see that it is back.
    func lookForStore() async {
        guard patience.isStoreAway else { return }
        _ = await patience.withStore(isReading: true) { () async throws(StoreError) in
            try await processor.store.ping()
        }
    }

    /// Does a duty again and again until the worker is to stop.
    func every(_ interval: Duration, _ duty: @Sendable () async -> Void) async {
        while !stop.isOpen {
            await duty()
            await stop.wait(for: interval)
        }
    }
}
