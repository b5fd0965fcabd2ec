package import CaptureModel

/// A device's lane in this worker's hands, with the captures at its head, oldest first.
package struct Lease: Sendable, Equatable {
    /// The token that stands for the lane; the fence against workers that lost it.
    package let token: LaneToken
    /// The device whose lane it is.
    package let device: DeviceID
    /// How often the token was delivered, this time included.
    ///
    /// More than once: its last holder did not finish.
    package let deliveries: Int
    /// Whether the captures may take their worker down: they were in the hands of one that did not come back, or are a
    /// dead letter that was put back.
    package let suspicion: Suspicion
    /// The captures to work, oldest first.
    package let jobs: [ClaimedJob]

    /// Memberwise but for ``suspicion``.
    ///
    /// A lane that was delivered before is a suspect whatever is known of its captures.
    package init(token: LaneToken, device: DeviceID, deliveries: Int, suspicion: Suspicion, jobs: [ClaimedJob]) {
        self.token = token
        self.device = device
        self.deliveries = deliveries
        self.suspicion = suspicion == .clear && deliveries > 1 ? .grave : suspicion
        self.jobs = jobs
    }

    /// Whether its captures are worked apart from those that are beyond suspicion.
    package var isSuspect: Bool { suspicion != .clear }
}

/// What is to be feared of a capture, and what it may be worked with.
package enum Suspicion: Sendable {
    /// Nothing: it is worked beside whatever there is.
    case clear
    /// Its worker did not come back once, as happens for many reasons: it is worked with a few others of its kind, while
    /// its worker has nothing else in its hands.
    case slight
    /// Nobody is to go down with it: it is the only one of its lease, and its worker has nothing else in its hands.
    case grave
}

/// A lane's token in one pair of hands: unique for each time that the lane becomes ready and each time it is delivered.
package struct LaneToken: Hashable, Sendable, CustomStringConvertible {
    /// As the queue writes it.
    package let text: String
    /// Which partition of the queue the lane is in.
    package let partition: Int

    /// Takes over what the queue wrote.
    package init(text: String, partition: Int) {
        self.text = text
        self.partition = partition
    }

    /// As the queue writes it.
    package var description: String { text }
}

/// A capture as claimed: its fields were written by whoever enqueued it, and may be wrong.
package enum ClaimedJob: Sendable, Equatable {
    /// Every field is in order.
    case valid(CaptureJob)
    /// A field is not; `fault` names it. Goes to the dead letters, where nothing is lost.
    case malformed(CaptureID, fault: String)

    /// The capture's id.
    package var id: CaptureID {
        switch self {
        case .valid(let job): job.id
        case .malformed(let id, _): id
        }
    }

    /// What was handed over, unless a field of it is wrong.
    package var submission: CaptureSubmission? {
        if case .valid(let job) = self { job.submission } else { nil }
    }
}
