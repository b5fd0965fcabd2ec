import CaptureModel
import CaptureQueue

/// Cuts what was claimed into batches that fit into memory and into one transaction.
enum BatchPlan {
    /// Every lease is in exactly one batch, with the first of its captures at least.
    ///
    /// A batch's bytes are all in Redis, or all in the other store. Batches from Redis come first, so that an outage of
    /// the other store holds up none of them.
    static func batches(of leases: [Lease], bytesMax: Int, capturesMax: Int) -> [[LanePortion]] {
        let inRedis = leases.filter { $0.jobs.first?.isInRedis ?? true }
        let elsewhere = leases.filter { !($0.jobs.first?.isInRedis ?? true) }
        return [inRedis, elsewhere].flatMap { plan($0, bytesMax: bytesMax, capturesMax: capturesMax) }
    }

    private static func plan(_ leases: [Lease], bytesMax: Int, capturesMax: Int) -> [[LanePortion]] {
        var batches: [[LanePortion]] = []
        var current: [LanePortion] = []
        var bytes = 0
        var captures = 0
        for lease in leases where !lease.jobs.isEmpty {
            let first = lease.jobs[0].bytes
            if !current.isEmpty, bytes + first > bytesMax || captures >= capturesMax {
                batches.append(current)
                (current, bytes, captures) = ([], 0, 0)
            }
            var end = 1
            bytes += first
            captures += 1
            while end < lease.jobs.count, lease.jobs[end].isInRedis == lease.jobs[0].isInRedis,
                bytes + lease.jobs[end].bytes <= bytesMax, captures < capturesMax
            {
                bytes += lease.jobs[end].bytes
                captures += 1
                end += 1
            }
            current.append(LanePortion(lease: lease, jobs: lease.jobs[..<end]))
        }
        if !current.isEmpty { batches.append(current) }
        return batches
    }
}

extension ClaimedJob {
    /// Whether its bytes are in Redis; also true of a job that cannot be read, whose bytes nobody fetches.
    var isInRedis: Bool {
        guard case .valid(let job) = self else { return true }
        return job.submission.bundleStore == .redis
    }

    /// The declared size of the bundle; 0 for a job that cannot be read.
    var bytes: Int {
        guard case .valid(let job) = self else { return 0 }
        return job.submission.photoBytes + job.submission.depthBytes
    }
}
