package import CaptureModel

extension CaptureMetrics {
    /// Counts captures that were settled with the same verdict and, if rejected, the same reason.
    package static func jobs(_ decision: Decision, by amount: Int = 1) {
        count(MetricCatalogue.jobs, by: amount, decision.verdict.rawValue, decision.reason?.rawValue ?? "")
        if let reason = decision.reason, reason != .counterReplay, Reason.ofSignatures.contains(reason) {
            signatureFailure(reason, by: amount)
        }
    }

    /// Counts replays that attested keys have signed over other content.
    package static func counterConflicts(_ count: Int) {
        self.count(MetricCatalogue.counterConflicts, by: count)
    }

    /// Counts a capture that became a dead letter; its result `failed` is counted with it.
    package static func deadLetter(_ reason: Reason) {
        count(MetricCatalogue.deadLetters, reason.rawValue)
        count(MetricCatalogue.jobs, CaptureState.failed.rawValue, reason.rawValue)
    }

    /// Why a lane was put off.
    package enum RetryReason: String, Sendable, CaseIterable {
        /// The queue or the record refused something that may succeed later.
        case server
        /// The bundle's bytes cannot be read, or are not those that were accepted.
        case bundle
    }

    /// Counts a lane that was put off after a transient fault.
    package static func retry(_ reason: RetryReason) {
        count(MetricCatalogue.retries, reason.rawValue)
    }

    /// A stage of a capture's way through a worker.
    package enum Stage: String, Sendable, CaseIterable {
        /// Reading the bytes of a batch and the keys of its devices.
        case fetch
        /// Digests, assertion, signature, photo, depth map and metadata of one capture.
        case verify
        /// The transaction in the record.
        case settle
        /// Giving the lanes back to the queue.
        case giveBack = "give_back"
    }

    /// Notes how long a stage took.
    package static func stage(_ stage: Stage, took duration: Duration) {
        observe(MetricCatalogue.stageSeconds, duration, stage.rawValue)
    }

    /// Notes how long a stage took, for each of some captures.
    package static func stage(_ stage: Stage, took durations: [Duration]) {
        observe(MetricCatalogue.stageSeconds, durations, stage.rawValue)
    }

    /// Notes how long captures took from acceptance to settlement.
    package static func settlements(took durations: [Duration]) {
        observe(MetricCatalogue.settlementSeconds, durations)
    }

    /// Counts lanes taken over from workers that went away.
    package static func lanesTakenOver(_ count: Int = 1) {
        self.count(MetricCatalogue.lanesTakenOver, by: count)
    }

    /// Counts lanes that another worker had taken over before they were given back.
    package static func leasesLost(_ count: Int = 1) {
        self.count(MetricCatalogue.leasesLost, by: count)
    }

    /// Notes how many lanes a worker holds, and the most that it may hold.
    package static func workerLanes(busy: Int, limit: Int) {
        set(MetricCatalogue.workerLanes, to: Double(busy), "busy")
        set(MetricCatalogue.workerLanes, to: Double(limit), "limit")
    }

    /// Notes how many partitions of the queue refuse claims, or to tell how full they are.
    package static func partitionsRefused(_ count: Int) {
        set(MetricCatalogue.partitionsRefused, to: Double(count))
    }
}
