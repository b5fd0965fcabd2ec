package import CaptureModel

/// A device's lane in this worker's hands, with the captures at its head, oldest first.
package struct Lease: Sendable, Equatable {
    /// The token that stands for the lane; the fence against workers that lost it.
    package let token: LaneToken
    /// The device whose lane it is.
    package let device: DeviceID
    /// How often the token was delivered, this time included; workers look at ``suspicion``, tests at this as well.
    ///
    /// If it is more than one, the last holder did not finish.
    package let deliveries: Int
    /// How likely the captures are to crash their worker: an earlier worker did not come back with them, or they were
    /// dead letters that were put back.
    package let suspicion: Suspicion
    /// The captures to work, oldest first.
    package let jobs: [ClaimedJob]

    /// Memberwise but for ``suspicion``.
    ///
    /// A lane that was delivered before is always a suspect, even if its captures are clear.
    package init(token: LaneToken, device: DeviceID, deliveries: Int, suspicion: Suspicion, jobs: [ClaimedJob]) {
        self.token = token
        self.device = device
        self.deliveries = deliveries
        self.suspicion = suspicion == .clear && deliveries > 1 ? .grave : suspicion
        self.jobs = jobs
    }

    /// Whether its captures are worked apart from clear ones.
    package var isSuspect: Bool { suspicion != .clear }
}

/// How likely a capture is to crash its worker; decides what it may be worked with.
package enum Suspicion: Sendable {
    /// Not suspect: it is worked beside any other capture.
    case clear
    /// Its worker did not come back once, as happens for many reasons: it is worked with a few others of its kind, while
    /// its worker has nothing else in its hands.
    case slight
    /// No other capture may fail with it: it is alone in its lease, and its worker has nothing else in its hands.
    case grave
}
