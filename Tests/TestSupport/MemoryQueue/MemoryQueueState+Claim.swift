import CaptureModel
import CaptureQueue

extension MemoryQueueState {
    /// Takes the heads of up to `lanesMax` lanes.
    mutating func claim(consumer: String, lanesMax: Int, capturesPerLaneMax: Int, now: Timestamp) -> [Lease] {
        guard !isPaused else { return [] }
        var leases: [Lease] = []
        while leases.count < lanesMax, !ready.isEmpty {
            let (token, device) = ready.removeFirst()
            held[token] = Holding(device: device, consumer: consumer, deliveries: 1, renewedAt: now)
            leases.append(lease(token, capturesMax: capturesPerLaneMax, now: now))
        }
        return leases
    }

    /// What there was to take over.
    enum TakeOver {
        case none
        case buried(CaptureID)
        case claimed(Lease)
    }

    /// Whether a token was not renewed for the lease's time.
    func hasLapsed(now: Timestamp) -> Bool {
        held.values.contains { now.since($0.renewedAt) >= limits.leaseDuration }
    }

    /// Takes the oldest token that was not renewed for the lease's time.
    mutating func takeOver(consumer: String, now: Timestamp) -> TakeOver {
        let lapsed = held.filter { now.since($0.value.renewedAt) >= limits.leaseDuration }
        guard !isPaused, let token = lapsed.keys.min(), var holding = held[token] else { return .none }
        for capture in lanes[holding.device, default: []] {
            guard let job = jobs[capture], job.status.state == .processing else { break }
            jobs[capture]?.status.state = .queued
            jobs[capture]?.suspicion = job.suspicion == .clear && limits.deliveriesMax > 2 ? .slight : .grave
        }
        holding.consumer = consumer
        holding.deliveries += 1
        holding.renewedAt = now
        holding.isAbandoned = false
        held[token] = holding
        // Counted for the capture, not for the token: a lane gets a new token each time it is given back.
        let takeOvers = countTakeOver(of: holding.device)
        if takeOvers == limits.deliveriesMax - 1 { isolateHead(of: holding.device) }
        guard takeOvers >= limits.deliveriesMax, let capture = removeHead(of: holding.device) else {
            return .claimed(lease(token, capturesMax: 1, now: now))
        }
        held[token] = nil
        let fault = "its worker did not come back; \(takeOvers) deliveries"
        bury(capture, reason: .deliveriesExhausted, fault: fault, now: now)
        release(holding.device)
        return .buried(capture)
    }

    /// Counts a holder that did not come back against the capture at the head.
    private mutating func countTakeOver(of device: DeviceID) -> Int {
        guard let head = lanes[device]?.first, var job = jobs[head] else { return 0 }
        job.takeOvers += 1
        jobs[head] = job
        return job.takeOvers
    }

    /// Has a suspect at the head worked alone: its next delivery is its last.
    private mutating func isolateHead(of device: DeviceID) {
        guard let head = lanes[device]?.first, let job = jobs[head], job.suspicion != .clear else { return }
        jobs[head]?.suspicion = .grave
    }

    private mutating func lease(_ token: Int, capturesMax: Int, now: Timestamp) -> Lease {
        guard let holding = held[token] else { preconditionFailure("a lease is made of a held token") }
        var claimed: [ClaimedJob] = []
        let suspicion = lanes[holding.device]?.first.flatMap { jobs[$0]?.suspicion } ?? .clear
        for capture in lanes[holding.device, default: []].prefix(capturesMax) {
            guard var job = jobs[capture], claimed.isEmpty || job.suspicion == suspicion else { break }
            job.status.state = .processing
            job.status.attempts += 1
            job.status.claimedAt = now
            job.status.nextAttemptAt = nil
            job.status.reason = nil
            jobs[capture] = job
            claimed.append(
                .valid(
                    CaptureJob(
                        submission: job.submission, receivedAt: job.status.receivedAt, claimedAt: now,
                        attempts: job.status.attempts, isRedriven: job.status.isRedriven
                    )
                )
            )
            if suspicion == .grave || suspicion == .slight && claimed.count == 16 { break }
        }
        return Lease(
            token: LaneToken(text: "\(token)#\(holding.deliveries)", partition: 0), device: holding.device,
            deliveries: holding.deliveries, suspicion: suspicion, jobs: claimed
        )
    }

    /// The token of a lease that is still good.
    func token(of lease: LaneToken, consumer: String) -> Int? {
        let parts = lease.text.split(separator: "#").compactMap { Int($0) }
        guard parts.count == 2, let holding = held[parts[0]], holding.consumer == consumer,
            holding.deliveries == parts[1]
        else { return nil }
        return parts[0]
    }

    /// Renews leases no more; they stay good until another worker takes them over.
    mutating func abandon(_ leases: [LaneToken], consumer: String) {
        for lease in leases {
            if let token = token(of: lease, consumer: consumer) { held[token]?.isAbandoned = true }
        }
    }

    /// Renews whatever the consumer holds.
    mutating func renew(consumer: String, now: Timestamp) {
        for (token, holding) in held where holding.consumer == consumer && !holding.isAbandoned {
            held[token]?.renewedAt = now
        }
    }
}
