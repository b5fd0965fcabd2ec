import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import Observability
import Rollout

extension BatchProcessor {
    /// Fetches devices and bundles at the same time, and verifies the captures.
    func verify(_ batch: [LanePortion]) async -> Patience.Outcome<[LaneConclusion]> {
        let started = ContinuousClock.now
        let jobs = batch.flatMap(\.jobs)
        let ids = Set(batch.map(\.lease.device))
        // One policy for the whole batch, whatever is loaded meanwhile.
        let policy = rollout.policy
        let areInRedis = jobs.allSatisfy(\.isInRedis)
        async let fetched = patience.withBundles(areInRedis: areInRedis) { () async throws(QueueError) in
            try await fetch(jobs)
        }
        async let known = patience.withStore(isReading: true, conflictsMax: conflictsMax) {
            () async throws(StoreError) in
            try await devices.devices(ids, from: store, rollout: policy)
        }
        let media: [FetchedMedia]
        let found: [DeviceID: KnownDevice]
        switch (await fetched, await known) {
        case (.done(let bundles), .done(let devices)): (media, found) = (bundles, devices)
        case (.fault(let fault), _), (_, .fault(let fault)): return .fault(fault)
        case (.away, _), (_, .away): return .away
        }
        CaptureMetrics.stage(.fetch, took: started.duration(to: .now))
        faults.reach(.afterFetch)
        let results = await verifier.verify(jobs, media: media, devices: found, rollout: policy)
        faults.reach(.afterVerify)
        var next = 0
        return .done(
            batch.map { portion in
                let range = next..<next + portion.jobs.count
                next = range.upperBound
                return LaneConclusion(portion: portion, conclusions: results[range].map(\.conclusion))
            }
        )
    }

    /// Fetches bundles, apart from those that nobody needs.
    ///
    /// A job that cannot be read does not say where its bytes are; those that are too large are not looked at.
    func fetch(_ jobs: [ClaimedJob]) async throws(QueueError) -> [FetchedMedia] {
        let needed: [CaptureSubmission?] = jobs.map { job in
            job.submission.flatMap { configuration.excess(of: $0) == nil ? $0 : nil }
        }
        var fetched = try await bundles.fetch(needed.compactMap(\.self))[...]
        return needed.map { $0 == nil ? .missing : fetched.popFirst() ?? .missing }
    }
}
